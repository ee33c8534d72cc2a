/// How a picture has to be turned, out of what its file says beside the pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace normbench {

/// What begins a JPEG's Exif segment, and stands before the block in some PNG and WebP files.
constexpr std::string_view exif_mark{"Exif\0\0", 6};

/// The orientation in an Exif block, with or without its mark: 1 to 8, and 1 where it is another
/// number. Nothing where the block has none. As Pillow does, takes any kind of number, as long as
/// it is whole, and the first of several, and has bytes and text for another number; OpenCV and
/// torchvision know only SHORT.
std::optional<int> exif_orientation(std::span<const std::uint8_t> block);

/// The orientation in an XMP text, likewise.
std::optional<int> xmp_orientation(std::string_view xmp);

/// 1 to 8. What Exif says goes before XMP. Of the peers only Pillow looks into XMP.
int orientation_of(std::span<const std::uint8_t> exif, std::string_view xmp);

}  // namespace normbench
