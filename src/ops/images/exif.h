/// How a picture has to be turned, from what its file says beside the pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace normbench {

/// The mark that begins a JPEG's Exif segment, and the Exif block of some PNG and WebP files.
constexpr std::string_view exif_mark{"Exif\0\0", 6};

/// The orientation in an Exif block, with or without its mark: 1 to 8, and 1 for any other
/// number. Nothing where the block has none. As in Pillow, any kind of whole number is taken, the
/// first of several; bytes and text count as another number. OpenCV and torchvision know only
/// SHORT.
std::optional<int> exif_orientation(std::span<const std::uint8_t> block);

/// The orientation in an XMP text: 1 to 8, and 1 for any other number. Nothing where it has none.
std::optional<int> xmp_orientation(std::string_view xmp);

/// The orientation from 1 to 8. Exif is asked before XMP, which of the peers only Pillow reads.
int orientation_of(std::span<const std::uint8_t> exif, std::string_view xmp);

}  // namespace normbench
