/// Reads the orientation of a picture from its metadata: how the picture must be turned or
/// mirrored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace normbench {

/// The bytes with which the Exif segment of a JPEG begins. In some PNG and WebP files the Exif
/// block begins with them, too.
constexpr std::string_view exif_mark{"Exif\0\0", 6};

/// Returns the orientation in an Exif block, from 1 to 8. Returns 1 if the block has bytes, text or
/// a number outside this range as orientation. Returns nothing if the block has no orientation. The
/// block may start with exif_mark. Like Pillow, accepts a number of any TIFF type, and takes the
/// first number if there are several. OpenCV and torchvision accept only the type SHORT.
std::optional<int> exif_orientation(std::span<const std::uint8_t> block);

/// Returns the orientation in an XMP text, from 1 to 8. Only the first digit of the number counts,
/// and the digits 0 and 9 give 1. Returns nothing if the text has no orientation.
std::optional<int> xmp_orientation(std::string_view xmp);

/// Returns the orientation in `exif`, from 1 to 8. If `exif` has none, returns the one in `xmp`,
/// and if that has none either, 1. Of the libraries that normbench is compared with, only Pillow
/// reads XMP.
int orientation_of(std::span<const std::uint8_t> exif, std::string_view xmp);

}  // namespace normbench
