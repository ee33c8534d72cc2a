/// Image files in memory: recognised by their content, decoded to 8-bit RGB.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace normbench {

/// Rows of red, green, blue, top to bottom, without padding.
struct Image {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
};

/// Images of more pixels are refused.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

/// Sets the size of `image`, keeping its memory. Throws std::runtime_error above `most_pixels`.
void set_size(Image& image, std::int64_t height, std::int64_t width);

/// Reads a whole regular file into memory that is reused. Throws std::runtime_error saying why not.
void read_file(const std::string& path, std::vector<std::uint8_t>& bytes);

/// Decodes a JPEG (baseline or progressive; gray, YCbCr, RGB, CMYK, YCCK; turned upright by its
/// EXIF orientation) or a PNG (every colour type and depth; alpha and tRNS are dropped, as
/// torchvision's RGB mode does; 16-bit samples give their high byte), into memory that is reused.
/// Throws std::runtime_error for other content and for damaged or truncated files.
void decode_image(std::span<const std::uint8_t> bytes, Image& image);

}  // namespace normbench
