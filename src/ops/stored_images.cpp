#include "ops/stored_images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "core/input_file.h"
#include "core/issue.h"
#include "ops/npy_header.h"

namespace normbench {
namespace {

std::vector<std::int64_t> npy_shape(const TensorDesc& image) {
  const auto [n, c, h, w] = image.shape.extents();
  if (image.shape.is_ycbcr()) return {image.shape.image_elements()};
  if (image.layout == Layout::Nhwc) return {h, w, c};
  return {c, h, w};
}

/// Counts the images in a raw file. `image` describes one of them. Throws Invalid if the file does
/// not hold whole images.
FileContents look_into_raw(const std::string& file, const TensorDesc& image) {
  const std::int64_t bytes = InputFile(file).bytes();
  if (bytes % image.bytes() != 0)
    throw Invalid(fmt::format("{} bytes are no multiple of an image's {}", bytes, image.bytes()));
  return {.images = bytes / image.bytes()};
}

/// Counts the images in a npy file. `image` describes one of them. Throws Invalid if the file does
/// not hold an array of such images.
FileContents look_into_npy(const std::string& file, const TensorDesc& image) {
  const MappedFile mapped(file);
  const NpyHeader header = parse_npy(mapped.bytes());
  std::vector<std::string> mistakes = npy_mistakes(header, image.dtype);
  const std::vector<std::int64_t> wanted = npy_shape(image);
  std::vector<std::int64_t> shape = header.shape;
  std::int64_t images = 1;
  if (shape.size() == wanted.size() + 1) {
    images = shape.front();
    shape.erase(shape.begin());
  }
  if (shape != wanted)
    mistakes.push_back(fmt::format("has the shape ({0}), expected ({1}) or (n, {1}) as {2}",
                                   fmt::join(header.shape, ", "), fmt::join(wanted, ", "),
                                   arrangement_of(image)));
  if (!mistakes.empty()) throw Invalid(fmt::format("{}", fmt::join(mistakes, "; it ")));
  const auto data = static_cast<std::int64_t>(mapped.bytes().size() - header.offset);
  if (data / image.bytes() != images || data % image.bytes() != 0)
    throw Invalid(fmt::format("{} bytes of data, but its header says {} images of {}", data, images,
                              image.bytes()));
  return {.images = images, .offset = static_cast<std::int64_t>(header.offset)};
}

}  // namespace

std::span<const std::string_view> endings_of(Storage storage) {
  static constexpr std::array<std::string_view, 1> raw{".raw"}, npy{".npy"};
  switch (storage) {
    case Storage::Image:
      return image_endings();
    case Storage::Raw:
      return raw;
    case Storage::Npy:
      return npy;
  }
  return {};
}

FileContents look_into_array(const std::string& file, Storage storage,
                             const TensorDesc& image) try {
  return storage == Storage::Raw ? look_into_raw(file, image) : look_into_npy(file, image);
} catch (const std::exception& error) {
  return {.why_broken = error.what(), .images = 0};
}

}  // namespace normbench
