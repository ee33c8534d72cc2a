/// PNG files, turned upright as they say.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/images/image.h"

namespace normbench {

constexpr std::string_view png_mark = "\x89PNG\r\n\x1a\n";

/// Decodes a PNG, upright, as decode_image says. The orientation is in an eXIf chunk, in a text
/// chunk "Raw profile type exif" or in XMP, before or behind the pixels. Remark::Repaired is also
/// said of what libspng refuses beside the pixels, as more colours in the palette than they can
/// name, or a text above 64 MiB. Throws std::runtime_error for one whose pixels are damaged or not
/// all there.
void decode_png(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory);

}  // namespace normbench
