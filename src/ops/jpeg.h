#pragma once

#include <cstdint>
#include <span>

#include "ops/image.h"

namespace normbench {

/// Decodes a JPEG, upright. Throws std::runtime_error for a damaged or truncated one.
void decode_jpeg(std::span<const std::uint8_t> bytes, Image& image);

}  // namespace normbench
