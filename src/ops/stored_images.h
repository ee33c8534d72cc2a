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

/// Says that a file no longer holds an image. Throws std::runtime_error.
[[noreturn]] void throw_cut();

/// A regular file that is open as long as this lives. Throws std::runtime_error saying why not.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::int64_t bytes() const { return bytes_; }
  /// Fills `to` from `offset` on. Throws std::runtime_error when the file ends before.
  void read(std::int64_t offset, std::span<std::byte> to) const;

 private:
  int descriptor_;
  std::int64_t bytes_ = 0;
};

}  // namespace normbench
