/// Datasets of images that need no decoding: .raw files, which are nothing but pixels, and .npy.
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

/// How the files of a dataset hold images: encoded, one a file; or as arrays of one or several.
enum class Storage { Image, Raw, Npy };
constexpr auto words(Storage) {
  return std::to_array<Word<Storage>>(
      {{Storage::Image, "image"}, {Storage::Raw, "raw"}, {Storage::Npy, "npy"}});
}

/// The endings of the names of such files.
std::span<const std::string_view> endings_of(Storage storage);

/// The content of a file of images like `image` (a single one, dense uint8). A .raw is any number
/// of them one after the other. A .npy is an array of one ([h, w, c] or [c, h, w], as the layout
/// says) or of several.
FileContents look_into_array(const std::string& file, Storage storage, const TensorDesc& image);

}  // namespace normbench
