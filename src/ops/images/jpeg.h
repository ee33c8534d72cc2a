/// JPEG files, turned upright as their EXIF data says.
#pragma once

#include <cstdint>
#include <span>

#include "ops/images/image.h"

namespace normbench {

/// Decodes a JPEG, upright, as decode_image says. Throws std::runtime_error for a damaged or
/// truncated one.
void decode_jpeg(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                 const LeastSize& least);

/// How many eighths of its size a JPEG is decoded at: the fewest, up to half, that are not below
/// `least` either way; else 8.
int eighths_of(std::int64_t height, std::int64_t width, const LeastSize& least);

/// The orientation (1 to 8) in the payload of a JPEG's APP1 marker; 1 when absent or malformed.
int exif_orientation(std::span<const std::uint8_t> app1);

/// Where the stored pixels of an image of height x width go when it is turned upright: (y, x) to
/// pixel first + y * row_step + x * column_step of an image of this height and width.
struct Upright {
  std::int64_t height, width;
  std::int64_t first, row_step, column_step;
};

Upright upright(int orientation, std::int64_t height, std::int64_t width);

}  // namespace normbench
