/// Encodes 8-bit RGB images to files in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace normbench {

/// The longest side of a JPEG, in pixels.
constexpr std::int64_t longest_jpeg_side = 65500;

/// Encodes rows of red, green, blue as a baseline JPEG, 4:4:4. `quality` is the quality of libjpeg,
/// from 1 to 100. The result points into `memory`, which is reused. Throws std::runtime_error if
/// libjpeg fails.
std::span<const std::uint8_t> encode_jpeg(std::span<const std::uint8_t> rgb, std::int64_t height,
                                          std::int64_t width, int quality,
                                          std::vector<std::uint8_t>& memory);

/// Returns a bound on the root mean square error of the pixels of a JPEG from encode_jpeg(). The
/// bound assumes that each coefficient is off by half its quantiser. A picture of noise has nearly
/// this error, and a photograph has a much smaller one.
double jpeg_error_bound(std::int64_t height, std::int64_t width, int quality);

/// Encodes rows of red, green, blue as a PNG, with libspng's filters and zlib's default level. The
/// result points into `memory`, which is reused. Throws std::runtime_error if libspng fails.
std::span<const std::uint8_t> encode_png(std::span<const std::uint8_t> rgb, std::int64_t height,
                                         std::int64_t width, std::vector<std::uint8_t>& memory);

}  // namespace normbench
