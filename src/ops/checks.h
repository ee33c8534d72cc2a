/// What the `read`, `infer`, `reference`, `fewest` and `samples` of ops share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"
#include "ops/roles.h"

namespace normbench {

/// The bytes that one run of a stage moves, and what it computes.
struct Cost {
  std::int64_t read_bytes = 0;     // from memory of the stage's place
  std::int64_t written_bytes = 0;  // to memory of the stage's place
  std::int64_t link_bytes = 0;     // over the link between host and device
  std::int64_t flops = 0;

  /// Bytes that memory of the stage's place gives and takes.
  std::int64_t moved() const { return read_bytes + written_bytes; }
};

/// A parameter that does not suit the place of its stage, and why.
struct Misplaced {
  std::string_view member, text;
  bool operator==(const Misplaced&) const = default;
};

/// The largest extent that a user may give.
inline constexpr std::int64_t largest_extent = 2147483647;

/// Reads a pair of whole numbers, each in [low, largest_extent]. Nothing when absent or wrong.
/// `meaning` ("[height, width]") stands in the message.
std::optional<std::pair<std::int64_t, std::int64_t>> read_pair(Reader& reader, std::string_view key,
                                                               std::int64_t low,
                                                               std::string_view meaning);

/// The only input of an op. Throws Invalid unless there is exactly one.
const TensorDesc& only_input(std::span<const TensorDesc> in);

/// Throws Invalid unless there are as many inputs as `names`. The message lists the names.
void check_inputs(std::span<const TensorDesc> in, std::span<const std::string_view> names);
/// Throws Invalid unless the tensor has a floating-point dtype.
void check_float(const TensorDesc& tensor);
/// Throws Invalid ("dy must be like x, …") unless the tensors have the same dtype, layout and
/// shape.
void check_like(std::string_view name, const TensorDesc& tensor, std::string_view other_name,
                const TensorDesc& other);
/// Throws Invalid ("gamma must be 1x64x1x1 float32, got …") unless the tensor has that shape.
void check_parameter(std::string_view name, const TensorDesc& tensor, const Shape& shape);

/// The shape of a tensor with one value for each channel of `x`, …
Shape of_channels(const Shape& x);
/// … and with one value for each group of channels of each image.
Shape of_groups(const Shape& x, std::int64_t groups);

/// Throws Invalid ("shape overflows …") for 2^62 bytes or more.
void check_size(DType dtype, const Shape& shape);

/// The single output of an op: contiguous, its size checked.
std::vector<TensorDesc> one_output(DType dtype, Layout layout, const Shape& shape, Memory memory);

/// An output like the only input, but contiguous.
std::vector<TensorDesc> output_like(std::span<const TensorDesc> in);

/// The sum of the tensors' bytes.
std::int64_t total_bytes(std::span<const TensorDesc> tensors);

/// An input of a self-test: its random values are multiplied by `scale`, a power of 2.
struct Feed {
  TensorDesc desc;
  double scale = 1;
};
/// All inputs of an op in a self-test.
using Feeds = std::vector<Feed>;

/// Reads the required per-channel constants `key`: at least one number, all within float32.
std::vector<double> read_channel_values(Reader& reader, std::string_view key);
/// Reads such constants that are divided by: none may be 0, in float32 either.
std::vector<double> read_channel_divisors(Reader& reader, std::string_view key);

/// Throws Invalid ("2 means for 3 channels (give 1 or 3)") unless there is one value, or one per
/// channel. `plural` is their name in the message.
void check_channels(const std::vector<double>& values, std::string_view plural,
                    std::int64_t channels);

/// The value of a channel. A single value stands for all channels.
inline double at_channel(const std::vector<double>& values, std::int64_t channel) {
  return values[values.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

/// A value for each channel: first, first + step, …
std::vector<double> channel_samples(std::int64_t channels, double first, double step);

/// The sum of each channel over all images, [1, C, 1, 1].
Tensor64 sum_channels(const Tensor64& x);

/// The sum and the product of two tensors, element by element.
Tensor64 sums_of(const Tensor64& a, const Tensor64& b);
Tensor64 products_of(const Tensor64& a, const Tensor64& b);

/// Calls `use(element, channel)` for each element of a tensor of this shape, in NCHW order.
template <class Use>
void each_of_channels(const Shape& shape, Use use) {
  const std::int64_t plane = shape.h * shape.w;
  for (std::int64_t number = 0; number < shape.n * shape.c; ++number)
    for (std::int64_t i = number * plane; i < (number + 1) * plane; ++i) use(i, number % shape.c);
}

/// The tensor with `f(value, channel)` in the place of each value.
template <class F>
Tensor64 map_channels(Tensor64 tensor, F f) {
  each_of_channels(tensor.shape, [&](std::int64_t i, std::int64_t c) {
    double& value = tensor.values[static_cast<std::size_t>(i)];
    value = f(value, c);
  });
  return tensor;
}

}  // namespace normbench
