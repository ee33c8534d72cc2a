/// Decodes JPEG files.
#pragma once

#include <cstdint>
#include <span>

#include "ops/images/image.h"
#include "ops/images/ycbcr_image.h"

namespace normbench {

/// Decodes a JPEG as decode_image() describes. Throws std::runtime_error if it is damaged or
/// truncated.
void decode_jpeg(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                 const LeastSize& least);

/// Decodes the planes of a JPEG as decode_planes() describes. Returns false, and leaves `image` in
/// any state, if the JPEG does not hold Y, Cb and Cr, or Y alone. Throws std::runtime_error if it
/// is damaged or truncated.
bool decode_jpeg_planes(std::span<const std::uint8_t> bytes, YcbcrImage& image,
                        DecodeMemory& memory, const LeastSize& least);

/// Returns how a JPEG holds its pixels: the format of its planes, after the picture is turned
/// upright. Returns Rgb if the JPEG has no planes of Y, Cb and Cr that can be decoded as they are,
/// or if their subsampling has no name here. Throws std::runtime_error if the header is damaged.
PixelFormat jpeg_pixel_format(std::span<const std::uint8_t> bytes);

/// Returns the number of eighths of its size at which a JPEG is decoded: the smallest number from 1
/// to 4 for which the result has at least the height and width of `least`. Returns 8, the full
/// size, if there is no such number or if a side of `least` is 0.
int eighths_of(std::int64_t height, std::int64_t width, const LeastSize& least);

}  // namespace normbench
