/// Encoders of 8-bit RGB images to files in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace normbench {

/// The longest side that a JPEG can have.
constexpr std::int64_t longest_jpeg_side = 65500;

/// Encodes rows of red, green, blue as a baseline JPEG, 4:4:4, at a quality of 1 to 100 as libjpeg
/// counts it. The file lies in `memory`, which is reused. Throws std::runtime_error.
std::span<const std::uint8_t> encode_jpeg(std::span<const std::uint8_t> rgb, std::int64_t height,
                                          std::int64_t width, int quality,
                                          std::vector<std::uint8_t>& memory);

/// How far the pixels of such a JPEG may lie from the image, as a root mean square: no coefficient
/// is off by more than half its quantiser. Noise comes near it, photographs stay far below.
double jpeg_error_bound(std::int64_t height, std::int64_t width, int quality);

/// Encodes such rows as a PNG, with libspng's filters and zlib's default level.
std::span<const std::uint8_t> encode_png(std::span<const std::uint8_t> rgb, std::int64_t height,
                                         std::int64_t width, std::vector<std::uint8_t>& memory);

}  // namespace normbench
