/// Decodes WebP files.
#pragma once

#include <cstdint>
#include <span>

#include "ops/images/image.h"

namespace normbench {

/// Decodes a WebP as decode_image() describes. An animation gives its first frame. If that frame
/// does not fill the canvas, the other pixels are black. Throws std::runtime_error if the file is
/// damaged or truncated.
void decode_webp(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory);

}  // namespace normbench
