/// Image files in memory: recognised by their content, decoded to 8-bit RGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "ops/resize.h"

namespace normbench {

/// Rows of red, green, blue, top to bottom, without padding. What was decoded at a smaller size may
/// fill its last row or column only in part.
struct Image {
  std::int64_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
  AxisPart rows = {}, columns = {};  // that the picture fills
};

/// The whole image as a tensor, nhwc.
View view_of(Image& image);

/// Images of more pixels are refused.
constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

/// Throws std::runtime_error above `most_pixels`.
void check_pixels(std::int64_t height, std::int64_t width);

/// Sets the size of `image`, all of which a picture fills, keeping its memory. Throws
/// std::runtime_error above `most_pixels`.
void set_size(Image& image, std::int64_t height, std::int64_t width);

/// Reads a whole regular file into memory that is reused. Throws std::runtime_error saying why not.
void read_file(const std::string& path, std::vector<std::uint8_t>& bytes);

/// What a decoder works in beside its output. Kept between images, it is not taken anew from the
/// system, page by page, for each.
struct DecodeMemory {
  std::vector<std::byte> coefficients = {};  // all of a progressive JPEG's
};

/// The least size of an image that may be decoded smaller than it is; 0: it may not.
struct LeastSize {
  std::int64_t height = 0, width = 0;
};

/// Decodes a JPEG (baseline or progressive; gray, YCbCr, RGB, CMYK, YCCK; turned upright by its
/// EXIF orientation) or a PNG (every colour type and depth; alpha and tRNS are dropped, as
/// torchvision's RGB mode does; 16-bit samples give their high byte), into memory that is reused.
/// A JPEG that is at least twice as large as `least` both ways is decoded at N eighths of its size,
/// rounded up, with the smallest N that is not below it: by fewer coefficients of each block.
/// Throws std::runtime_error for other content and for damaged or truncated files.
void decode_image(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                  const LeastSize& least = {});
void decode_image(std::span<const std::uint8_t> bytes, Image& image);

}  // namespace normbench
