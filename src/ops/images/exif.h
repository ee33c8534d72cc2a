/// Reads from the metadata of a picture how it has to be turned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace normbench {

/// The bytes at the start of a JPEG's Exif segment, and of the Exif block in some PNG and WebP
/// files.
constexpr std::string_view exif_mark{"Exif\0\0", 6};

/// Returns the orientation in an Exif block, with or without exif_mark: 1 to 8, and 1 for any other
/// number. Returns nothing if the block has none. Accepts a number of any type, and the first of
/// several numbers, as Pillow does. Bytes and text are never an orientation, so they give 1. OpenCV
/// and torchvision accept only SHORT.
std::optional<int> exif_orientation(std::span<const std::uint8_t> block);

/// Returns the orientation in an XMP text: 1 to 8, and 1 for any other number. Returns nothing if
/// the text has none.
std::optional<int> xmp_orientation(std::string_view xmp);

/// Returns the orientation from 1 to 8: the one in Exif, or if there is none, the one in XMP, else
/// 1. Of the peers only Pillow reads XMP.
int orientation_of(std::span<const std::uint8_t> exif, std::string_view xmp);

}  // namespace normbench
