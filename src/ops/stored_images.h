/// Datasets of images that need no decoding: .raw files, which hold nothing but pixels, and .npy.
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

/// What the files of a dataset are: encoded, an image each; or arrays of one image or several.
enum class Storage { Image, Raw, Npy };
constexpr auto words(Storage) {
  return std::to_array<Word<Storage>>(
      {{Storage::Image, "image"}, {Storage::Raw, "raw"}, {Storage::Npy, "npy"}});
}

/// What the names of such files end in.
std::span<const std::string_view> endings_of(Storage storage);

/// What is in a file of images like `image` (one of them, dense uint8): a .raw is as many of them
/// one after the other, a .npy an array of one ([h, w, c] or [c, h, w], as the layout says) or of
/// several.
FileContents look_into_array(const std::string& file, Storage storage, const TensorDesc& image);

}  // namespace normbench
