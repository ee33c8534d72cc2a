/// Kinds of pictures, recognised by the endings of file names. normbench reads only some of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.h"

namespace normbench {

enum class PictureKind {
  Jpeg,
  Png,
  WebP,
  Avif,
  Bmp,
  CameraRaw,
  Dds,
  Dicom,
  Exr,
  Gif,
  Heic,
  Icon,
  Jpeg2000,
  JpegXl,
  JpegXr,
  Mpo,
  Pcx,
  Pnm,
  Psd,
  Qoi,
  Svg,
  Tga,
  Tiff
};
constexpr auto words(PictureKind) {
  using enum PictureKind;
  return std::to_array<Word<PictureKind>>({{Jpeg, "JPEG"},
                                           {Png, "PNG"},
                                           {WebP, "WebP"},
                                           {Avif, "AVIF"},
                                           {Bmp, "BMP"},
                                           {CameraRaw, "camera raw"},
                                           {Dds, "DDS"},
                                           {Dicom, "DICOM"},
                                           {Exr, "OpenEXR"},
                                           {Gif, "GIF"},
                                           {Heic, "HEIC"},
                                           {Icon, "ICO"},
                                           {Jpeg2000, "JPEG 2000"},
                                           {JpegXl, "JPEG XL"},
                                           {JpegXr, "JPEG XR"},
                                           {Mpo, "MPO"},
                                           {Pcx, "PCX"},
                                           {Pnm, "PNM"},
                                           {Psd, "PSD"},
                                           {Qoi, "QOI"},
                                           {Svg, "SVG"},
                                           {Tga, "TGA"},
                                           {Tiff, "TIFF"}});
}

/// Returns true for the kinds that `load` and `prepare` read from a folder.
constexpr bool is_read(PictureKind kind) {
  return kind == PictureKind::Jpeg || kind == PictureKind::Png || kind == PictureKind::WebP;
}

/// Returns the endings of names of files that are read: ".jpg", ".jpeg", and so on. Messages list
/// them in this order.
std::span<const std::string_view> image_endings();

/// Returns the kind of an ending (".jpg", in lower case); nothing if it is unknown.
std::optional<PictureKind> kind_of_ending(std::string_view ending);

/// A kind of picture that is not read, and the number of such pictures that were found.
struct OtherPictures {
  PictureKind kind = PictureKind::Gif;
  std::int64_t count = 0;
  bool operator==(const OtherPictures&) const = default;
};

std::int64_t count_of(std::span<const OtherPictures> others);
/// Returns a text with the number of all pictures: "7 other pictures", "1 other picture".
std::string counted_others(std::span<const OtherPictures> others);
/// Returns a text with the number of pictures of each kind: "3 AVIF, 2 GIF".
std::string kinds_text(std::span<const OtherPictures> others);

}  // namespace normbench
