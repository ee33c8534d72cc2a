/// What the ops' `read` and `infer` have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"

namespace normbench {

/// No extent that a user gives is larger.
inline constexpr std::int64_t largest_extent = 2147483647;

/// Reads a pair of whole numbers, each in [low, largest_extent]. Nothing when absent or wrong;
/// `meaning` ("[height, width]") is for the message.
std::optional<std::pair<std::int64_t, std::int64_t>> read_pair(Reader& reader, std::string_view key,
                                                               std::int64_t low,
                                                               std::string_view meaning);

/// The only input of an op. Throws Invalid unless there is exactly one.
const TensorDesc& only_input(std::span<const TensorDesc> in);

/// Throws Invalid ("shape overflows …") for 2^62 bytes or more.
void check_size(DType dtype, const Shape& shape);

/// The one contiguous output of an op, its size checked.
std::vector<TensorDesc> one_output(DType dtype, Layout layout, const Shape& shape, Memory memory);

/// Reads the required per-channel constants `key`: at least one number, all within float32.
std::vector<double> read_channel_values(Reader& reader, std::string_view key);
/// The same for divisors: none is 0, in float32 either.
std::vector<double> read_channel_divisors(Reader& reader, std::string_view key);

/// Throws Invalid ("2 means for 3 channels (give 1 or 3)") unless there is one value, or one per
/// channel. `plural` names them.
void check_channels(const std::vector<double>& values, std::string_view plural,
                    std::int64_t channels);

/// The value of a channel, where one value stands for all.
inline double at_channel(const std::vector<double>& values, std::int64_t channel) {
  return values[values.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

}  // namespace normbench
