/// WebP files, turned upright as they ask for.
#pragma once

#include <cstdint>
#include <span>

#include "ops/images/image.h"

namespace normbench {

/// Decodes a WebP, upright, as decode_image says. An animation gives its first frame, on black
/// where it does not fill the canvas. Throws std::runtime_error for a damaged or truncated one.
void decode_webp(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory);

}  // namespace normbench
