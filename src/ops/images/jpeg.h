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

/// The eighths of its size at which a JPEG is decoded: the fewest, up to half, that give no less
/// than `least` either way; else 8.
int eighths_of(std::int64_t height, std::int64_t width, const LeastSize& least);

}  // namespace normbench
