/// Decodes PNG files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/images/image.h"

namespace normbench {

constexpr std::string_view png_mark = "\x89PNG\r\n\x1a\n";

/// Decodes a PNG as decode_image() describes. Its orientation is in an eXIf chunk, in a text chunk
/// "Raw profile type exif" or in XMP, before or after the pixels. Remark::Repaired is also set for
/// faults outside the pixels that libspng refuses, such as a palette with more colours than pixels
/// can use, or a text above 64 MiB. Throws std::runtime_error if pixels are damaged or missing.
void decode_png(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory);

}  // namespace normbench
