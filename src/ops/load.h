#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "ops/checks.h"
#include "ops/crop.h"
#include "ops/resize.h"
#include "ops/source.h"
#include "ops/stored_images.h"

namespace normbench {

enum class Fit { Resize, Crop };
enum class OnError { Fail, Skip };
enum class Via { Read, Mmap };
enum class PageCache { Warm, Cold };
constexpr auto words(Fit) {
  return std::to_array<Word<Fit>>({{Fit::Resize, "resize"}, {Fit::Crop, "crop"}});
}
constexpr auto words(OnError) {
  return std::to_array<Word<OnError>>({{OnError::Fail, "fail"}, {OnError::Skip, "skip"}});
}

constexpr auto words(Via) {
  return std::to_array<Word<Via>>({{Via::Read, "read"}, {Via::Mmap, "mmap"}});
}
constexpr auto words(PageCache) {
  return std::to_array<Word<PageCache>>({{PageCache::Warm, "warm"}, {PageCache::Cold, "cold"}});
}

/// Where an image lies: in which file, and at which byte of it. `alone`: no other image lies in it.
struct ImagePlace {
  std::size_t file = 0;
  std::int64_t offset = 0;
  bool alone = true;
};

/// Which images the items of a loader read: item after item the next `batch` of all images, over
/// and over. Every pass over the images (an epoch) is in name order, or in an order of its own.
class ImageWalk {
 public:
  /// `places`: at least one, in the order of the files and of the bytes. Shuffled where there is a
  /// seed.
  ImageWalk(std::vector<std::string> files, std::vector<ImagePlace> places, std::int64_t batch,
            std::optional<std::uint64_t> seed);

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<ImagePlace>& places() const { return places_; }
  /// The numbers of the images of an item (counted from 0); any item can be asked for by itself.
  /// Items with the same numbers load the same.
  std::vector<std::size_t> numbers_of(std::int64_t item) const;
  /// Where the images of an item lie.
  std::vector<ImagePlace> places_of(std::int64_t item) const;

 private:
  std::vector<std::string> files_;
  std::vector<ImagePlace> places_;
  std::int64_t batch_;
  std::optional<std::uint64_t> seed_;
};

/// Reads images from files. Timed. Item i of a turn is the next `batch` images after those of item
/// i - 1, in name order (by class first) or shuffled, from the start again when all were read.
/// Parameters: path (folder, file or glob; --images wins) or dataset (the name of a folder within
/// --images, in which {height} and {width} are those of the size), batch, size [h, w], fit, layout,
/// storage (`image`: JPEG, PNG and WebP, decoded and fitted to the size; `raw`, `npy`: pixels in
/// that size and layout, one image a file or several), via (`read` or `mmap`; files of several
/// images are opened or mapped once, up to 256 of them, others each time), page_cache (`cold`: the
/// files' pages are dropped before each turn, untimed), on_error (`fail`: any broken file fails the
/// case; `skip`: broken files are left out), shuffle (another order in every pass over the images),
/// seed (of those orders). fit `resize` gives exactly [h, w]; `crop` cuts [h, w] from the centre,
/// and where an image is smaller than that, enlarges the largest centred window of its shape.
struct Load {
  static constexpr std::string_view name = "load";
  static constexpr std::string_view about = "read images from files; decode and resize them";
  static constexpr Roles roles{.starts = true, .files = FileUse::Reads};

  std::string path = {}, dataset = {};
  std::int64_t batch = 8;
  std::int64_t height = 224, width = 224;
  Fit fit = Fit::Resize;
  Layout layout = Layout::Nhwc;
  Storage storage = Storage::Image;
  Via via = Via::Read;
  PageCache page_cache = PageCache::Warm;
  OnError on_error = OnError::Fail;
  bool shuffle = false;
  std::uint64_t seed = 0;
  std::vector<std::string> files = {};  // after resolve(): every file that matches, in order
  std::string root = {};                // the start of all files; what follows it is a file's name
  Beside beside = {};                   // what lies beside the files and is not taken
  std::string searched = {};            // where the dataset was looked for in vain
  // From the manifest of the files' folder, where it has one: how long making them took, and their
  // mean peak signal-to-noise ratio (0: all pixels were kept).
  double prepare_seconds = 0, psnr_db = 0;
  ResizeFilter held_to = ResizeFilter::Triangle;  // the reference's filter; a peer may say another
  std::shared_ptr<Probe> probe = std::make_shared<Probe>();  // copies share it: tried once

  static Load read(Reader& reader);
  /// Finds the files, as `find_files` does, by the endings of the storage's files. Leaves `files`
  /// empty when neither a path nor --images was given, or the dataset is not there. Throws Invalid
  /// when the path does not exist or matches nothing, or its manifest is damaged or says that files
  /// of pixels have another size.
  void resolve(const Paths& paths);
  /// The dataset's name, with the size filled in.
  std::string dataset_name() const;
  /// Why `files` is empty.
  std::string why_no_files() const;
  /// The name of one of the files: "a.jpg", "cat/a.jpg".
  std::string name_of_file(const std::string& file) const { return file.substr(root.size()); }
  /// The content of one of the files.
  FileContents contents(const std::string& file) const;
  /// The number of images in all `files`; a broken file counts as one where each has one image.
  std::int64_t image_count() const;
  /// Which images each item reads. Tries all `files`, once. Throws std::runtime_error naming every
  /// broken file when on_error is `fail` or when no file is left.
  ImageWalk walk() const;
  /// An image as the op gives it out, and as raw and npy files hold it.
  TensorDesc image() const;
  /// The part of an image of this extent that is resized to [height, width].
  Window window(std::int64_t image_height, std::int64_t image_width) const;
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first,
                 std::int64_t item) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
};

// Both try all files, once.
/// The files that cannot be read, …
std::vector<BrokenFiles> broken_files(const Load& load);
/// … and the files that are read and have a remark.
std::vector<RemarkedFiles> remarked_files(const Load& load);

}  // namespace normbench
