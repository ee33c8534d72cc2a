/// Decodes PNG files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/images/image.h"

namespace normbench {

constexpr std::string_view png_mark = "\x89PNG\r\n\x1a\n";

/// Decodes a PNG as decode_image() describes. Reads the orientation from an eXIf chunk, from a text
/// chunk "Raw profile type exif" or from XMP, before or after the pixels. Also decodes files that
/// libspng refuses for a fault outside the pixels, such as a palette with more colours than pixels
/// can use, or a text above 64 MiB. Such files get Remark::Repaired. Throws std::runtime_error if
/// pixels are damaged or missing.
void decode_png(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory);

}  // namespace normbench
