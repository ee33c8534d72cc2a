#include "ops/images/picture_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace normbench {
namespace {

struct Ending {
  std::string_view ending;
  PictureKind kind;
};

using enum PictureKind;
constexpr auto endings = std::to_array<Ending>(
    {{".jpg", Jpeg},      {".jpeg", Jpeg},     {".jpe", Jpeg},      {".jfif", Jpeg},
     {".png", Png},       {".webp", WebP},     {".avif", Avif},     {".avifs", Avif},
     {".bmp", Bmp},       {".dib", Bmp},       {".arw", CameraRaw}, {".cr2", CameraRaw},
     {".cr3", CameraRaw}, {".dng", CameraRaw}, {".nef", CameraRaw}, {".nrw", CameraRaw},
     {".orf", CameraRaw}, {".pef", CameraRaw}, {".raf", CameraRaw}, {".rw2", CameraRaw},
     {".srw", CameraRaw}, {".x3f", CameraRaw}, {".dds", Dds},       {".dcm", Dicom},
     {".exr", Exr},       {".gif", Gif},       {".heic", Heic},     {".heif", Heic},
     {".hif", Heic},      {".ico", Icon},      {".cur", Icon},      {".j2c", Jpeg2000},
     {".j2k", Jpeg2000},  {".jp2", Jpeg2000},  {".jpc", Jpeg2000},  {".jpf", Jpeg2000},
     {".jpx", Jpeg2000},  {".jxl", JpegXl},    {".jxr", JpegXr},    {".wdp", JpegXr},
     {".mpo", Mpo},       {".pcx", Pcx},       {".pam", Pnm},       {".pbm", Pnm},
     {".pfm", Pnm},       {".pgm", Pnm},       {".pnm", Pnm},       {".ppm", Pnm},
     {".psb", Psd},       {".psd", Psd},       {".qoi", Qoi},       {".svg", Svg},
     {".svgz", Svg},      {".tga", Tga},       {".tif", Tiff},      {".tiff", Tiff}});

}  // namespace

std::span<const std::string_view> image_endings() {
  static const auto all = [] {
    std::vector<std::string_view> read;
    for (const auto& [ending, kind] : endings)
      if (is_read(kind)) read.push_back(ending);
    return read;
  }();
  return all;
}

std::optional<PictureKind> kind_of_ending(std::string_view ending) {
  const auto found = std::ranges::find(endings, ending, &Ending::ending);
  return found == endings.end() ? std::nullopt : std::optional(found->kind);
}

std::int64_t count_of(std::span<const OtherPictures> others) {
  std::int64_t count = 0;
  for (const OtherPictures& some : others) count += some.count;
  return count;
}

std::string counted_others(std::span<const OtherPictures> others) {
  const std::int64_t count = count_of(others);
  return fmt::format("{} other picture{}", format_count(count), count == 1 ? "" : "s");
}

std::string kinds_text(std::span<const OtherPictures> others) {
  std::string text;
  for (const auto& [kind, count] : others)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), name_of(kind));
  return text;
}

}  // namespace normbench
