#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "ops/checks.h"
#include "ops/crop.h"
#include "ops/images/image_files.h"
#include "ops/source.h"

namespace normbench {

enum class Fit { Resize, Crop };
enum class OnError { Fail, Skip };
constexpr auto words(Fit) {
  return std::to_array<Word<Fit>>({{Fit::Resize, "resize"}, {Fit::Crop, "crop"}});
}
constexpr auto words(OnError) {
  return std::to_array<Word<OnError>>({{OnError::Fail, "fail"}, {OnError::Skip, "skip"}});
}

/// Which files the items of a loader read: each the next `batch` of all, over and over. Every pass
/// over them (an epoch) is in name order, or in an order of its own.
class FileWalk {
 public:
  /// `files`: at least one. Shuffled where there is a seed.
  FileWalk(std::vector<std::string> files, std::int64_t batch, std::optional<std::uint64_t> seed);

  /// The files of an item (counted from 0), by image; any item by itself.
  std::vector<std::string> files_of(std::int64_t item) const;
  /// Their numbers in name order: items with the same ones load the same.
  std::vector<std::size_t> numbers_of(std::int64_t item) const;

 private:
  std::vector<std::string> files_;
  std::int64_t batch_;
  std::optional<std::uint64_t> seed_;
};

/// Reads, decodes and fits image files to one size: 3-channel uint8. Timed. Item i of a turn is the
/// next `batch` files after those of item i - 1, in name order or shuffled, from the start again
/// when all were read.
/// Parameters: path (folder, file or glob; --images wins), batch, size [h, w], fit, layout,
/// on_error (`fail`: any broken file fails the case; `skip`: broken files are left out),
/// shuffle (another order in every pass over the files), seed (of those orders).
/// fit `resize` gives exactly [h, w]; `crop` cuts [h, w] from the centre, and where an image is
/// smaller than that, enlarges the largest centred window of its shape.
struct Load {
  static constexpr std::string_view name = "load";
  static constexpr std::string_view about = "read, decode and resize image files";
  static constexpr bool starts = true;

  std::string path = {};
  std::int64_t batch = 8;
  std::int64_t height = 224, width = 224;
  Fit fit = Fit::Resize;
  Layout layout = Layout::Nhwc;
  OnError on_error = OnError::Fail;
  bool shuffle = false;
  std::uint64_t seed = 0;
  std::vector<std::string> files = {};  // after resolve: every file that matches, in name order
  std::shared_ptr<Probe> probe = std::make_shared<Probe>();  // shared by copies: tried once

  static Load read(Reader& reader);
  /// Finds the files: those of a folder named .jpg, .jpeg or .png, or all that a glob matches;
  /// plain files only. Leaves `files` empty when neither a path nor --images was given. Throws
  /// Invalid when the path does not exist or matches nothing.
  void resolve(const Paths& paths);
  /// Which files each item reads. Tries all `files`, once; throws std::runtime_error naming every
  /// broken one when on_error is `fail` or when none is left.
  FileWalk walk() const;
  /// The part of an image of this extent that is resized to [height, width].
  Window window(std::int64_t image_height, std::int64_t image_width) const;
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first,
                 std::int64_t item) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

/// Every file of `files` that cannot be decoded, as "NAME (why)". Tries all of them, once.
std::vector<std::string> broken_files(const Load& load);

}  // namespace normbench
