/// Decodes JPEG files.
#pragma once

#include <cstdint>
#include <span>

#include "ops/images/image.h"

namespace normbench {

/// Decodes a JPEG as decode_image() describes. Throws std::runtime_error if it is damaged or
/// truncated.
void decode_jpeg(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory,
                 const LeastSize& least);

/// Returns at how many eighths of its size a JPEG is decoded: the fewest, up to 4, that give no
/// less than `least` in both directions. Returns 8 if there is no such number.
int eighths_of(std::int64_t height, std::int64_t width, const LeastSize& least);

}  // namespace normbench
