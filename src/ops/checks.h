/// Helpers that several ops use in their members `read`, `infer`, `reference`, `fewest` and
/// `samples` (see op.h).
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

/// The bytes that one run of a stage moves, and the operations that it computes.
struct Cost {
  std::int64_t read_bytes = 0;     // from memory of the stage's place (host or GPU)
  std::int64_t written_bytes = 0;  // to memory of the stage's place (host or GPU)
  std::int64_t link_bytes = 0;     // over the link between host and device
  std::int64_t flops = 0;

  /// Returns the bytes that are read from and written to memory of the stage's place. Bytes over
  /// the link do not count.
  std::int64_t moved() const { return read_bytes + written_bytes; }
};

/// A parameter of an op that is not allowed at the place (CPU or GPU) of its stage. `member` is the
/// parameter's key in the config, and `text` says what is wrong with it.
struct Misplaced {
  std::string_view member, text;
  bool operator==(const Misplaced&) const = default;
};

/// The largest extent of an axis that a user may give.
inline constexpr std::int64_t largest_extent = 2147483647;

/// Reads the member `key`: two whole numbers, each in [low, largest_extent]. Returns nothing if the
/// member is missing or wrong, and adds an issue if it is wrong. `meaning` names the two numbers in
/// messages, like "[height, width]".
std::optional<std::pair<std::int64_t, std::int64_t>> read_pair(Reader& reader, std::string_view key,
                                                               std::int64_t low,
                                                               std::string_view meaning);

/// Returns the only input of an op. Throws Invalid if the number of inputs is not 1.
const TensorDesc& only_input(std::span<const TensorDesc> in);

/// Throws Invalid if the number of inputs differs from the number of names. The message lists the
/// names.
void check_inputs(std::span<const TensorDesc> in, std::span<const std::string_view> names);
/// Throws Invalid if the dtype of the tensor is not a float dtype.
void check_float(const TensorDesc& tensor);
/// Throws Invalid ("dy must be like x, ...") if dtype, layout or shape of the tensors differ.
void check_like(std::string_view name, const TensorDesc& tensor, std::string_view other_name,
                const TensorDesc& other);
/// Throws Invalid ("gamma must be 1x64x1x1 float32, got ...") if the tensor is not float32 or does
/// not have this shape.
void check_parameter(std::string_view name, const TensorDesc& tensor, const Shape& shape);

/// Returns the shape of a tensor with one value for each channel of `x`.
Shape of_channels(const Shape& x);
/// Returns the shape of a tensor with one value for each group of channels of each image.
Shape of_groups(const Shape& x, std::int64_t groups);

/// Throws Invalid ("shape overflows ...") if the tensor has 2^62 bytes or more.
void check_size(DType dtype, const Shape& shape);

/// Returns one contiguous output as a list. Throws Invalid as check_size() does.
std::vector<TensorDesc> one_output(DType dtype, Layout layout, const Shape& shape, Memory memory);

/// Returns a contiguous output with the dtype, layout, shape and memory of the only input.
std::vector<TensorDesc> output_like(std::span<const TensorDesc> in);

/// Returns the sum of the tensors' bytes.
std::int64_t total_bytes(std::span<const TensorDesc> tensors);

/// An input of an op in a self-test, which compares kernels with a reference. The random values of
/// the input are multiplied by `scale`, a power of 2.
struct Feed {
  TensorDesc desc;
  double scale = 1;
};
/// All inputs of an op in one self-test.
using Feeds = std::vector<Feed>;

/// Returns sets of inputs for a self-test. Each set is one batch of YCbCr images of the size of
/// `first`. There is a set for each format if the images are small, and else only one, in 4:2:0.
/// Returns nothing if `first` is not a uint8 nchw tensor of 3 channels.
std::vector<Feeds> ycbcr_feeds(const TensorDesc& first);

/// Reads the required list `key` of per-channel constants. The list must have at least one number,
/// and every number must be in the range of float32.
std::vector<double> read_channel_values(Reader& reader, std::string_view key);
/// Reads a list as read_channel_values() does. Reports values that are 0 or nearer to 0 than the
/// smallest normal float32.
std::vector<double> read_channel_divisors(Reader& reader, std::string_view key);

/// Throws Invalid ("2 means for 3 channels (give 1 or 3)") if the number of values is neither 1 nor
/// `channels`. `plural` names the values in the message.
void check_channels(const std::vector<double>& values, std::string_view plural,
                    std::int64_t channels);

/// Returns the value for a channel. A single value holds for every channel.
inline double at_channel(const std::vector<double>& values, std::int64_t channel) {
  return values[values.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

/// Returns a value for each channel: first, first + step, first + 2 * step, ...
std::vector<double> channel_samples(std::int64_t channels, double first, double step);

/// Returns the sum of each channel over all images, as a tensor [1, C, 1, 1].
Tensor64 sum_channels(const Tensor64& x);

/// Return the sum and the product of two tensors of the same shape, element by element.
Tensor64 sums_of(const Tensor64& a, const Tensor64& b);
Tensor64 products_of(const Tensor64& a, const Tensor64& b);

/// Calls `use(element, channel)` for each element of a tensor of this shape. `element` is the index
/// of the element in NCHW order.
template <class Use>
void each_of_channels(const Shape& shape, Use use) {
  const std::int64_t plane = shape.h * shape.w;
  for (std::int64_t number = 0; number < shape.n * shape.c; ++number)
    for (std::int64_t i = number * plane; i < (number + 1) * plane; ++i) use(i, number % shape.c);
}

/// Returns the tensor with each value replaced by `f(value, channel)`.
template <class F>
Tensor64 map_channels(Tensor64 tensor, F f) {
  each_of_channels(tensor.shape, [&](std::int64_t i, std::int64_t c) {
    double& value = tensor.values[static_cast<std::size_t>(i)];
    value = f(value, c);
  });
  return tensor;
}

}  // namespace normbench
