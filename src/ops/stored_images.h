/// Files with images that need no decoding: .raw with pixels only, and .npy.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/enums.h"
#include "core/tensor.h"
#include "ops/images/image_files.h"

namespace normbench {

/// How files hold images. Image: one encoded image in each file. Raw and Npy: arrays of one or
/// several images.
enum class Storage { Image, Raw, Npy };
constexpr auto words(Storage) {
  return std::to_array<Word<Storage>>(
      {{Storage::Image, "image"}, {Storage::Raw, "raw"}, {Storage::Npy, "npy"}});
}

/// Returns the endings of the names of files with this storage.
std::span<const std::string_view> endings_of(Storage storage);

/// Returns how many images a file holds and where they start, or why it is broken. `image` is the
/// description of one image, dense uint8. A .raw file holds any number of images without gaps. A
/// .npy file holds an array of one image ([h, w, c] or [c, h, w], depending on the layout) or of
/// several.
FileContents look_into_array(const std::string& file, Storage storage, const TensorDesc& image);

}  // namespace normbench
