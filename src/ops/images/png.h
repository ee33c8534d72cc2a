/// PNG files, turned upright as they ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/images/image.h"

namespace normbench {

constexpr std::string_view png_mark = "\x89PNG\r\n\x1a\n";

/// Decodes a PNG, upright, as decode_image says. The orientation is in an eXIf chunk, in a text
/// chunk "Raw profile type exif" or in XMP, before or behind the pixels. Remark::Repaired also
/// stands for faults beside the pixels that libspng refuses, as a palette with more colours than
/// pixels can name, or a text above 64 MiB. Throws std::runtime_error where pixels are damaged or
/// missing.
void decode_png(std::span<const std::uint8_t> bytes, Image& image, DecodeMemory& memory);

}  // namespace normbench
