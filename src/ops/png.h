#pragma once

#include <cstdint>
#include <span>

#include "ops/image.h"

namespace normbench {

/// Decodes a PNG. Throws std::runtime_error for a damaged or truncated one.
void decode_png(std::span<const std::uint8_t> bytes, Image& image);

}  // namespace normbench
