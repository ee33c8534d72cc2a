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

/// Where an image is stored: the index of its file and the offset in bytes. `alone` is true if the
/// file has no other image.
struct ImagePlace {
  std::size_t file = 0;
  std::int64_t offset = 0;
  bool alone = true;
};

/// Decides which images each item of a loader reads: the next `batch` images. After the last image
/// it starts over. A pass over all images (an epoch) is in name order. With a seed each epoch has a
/// random order of its own.
class ImageWalk {
 public:
  /// `places` has at least one place, sorted by file and offset. With `seed` each epoch is
  /// shuffled.
  ImageWalk(std::vector<std::string> files, std::vector<ImagePlace> places, std::int64_t batch,
            std::optional<std::uint64_t> seed);

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<ImagePlace>& places() const { return places_; }
  /// Returns the indices in places() of the images of an item. Items may be asked for in any order.
  std::vector<std::size_t> numbers_of(std::int64_t item) const;
  /// Returns where the images of an item are stored.
  std::vector<ImagePlace> places_of(std::int64_t item) const;

 private:
  std::vector<std::string> files_;
  std::vector<ImagePlace> places_;
  std::int64_t batch_;
  std::optional<std::uint64_t> seed_;
};

/// Reads images from files, as a timed stage. Each iteration loads the next `batch` images, in name
/// order (by class first) or shuffled. After the last image it starts over. Parameters:
/// - path: a folder, file or glob. --images replaces it.
/// - dataset, instead of path: the name of a folder in --images. {height} and {width} in this name
///   are replaced by the size.
/// - batch, layout, size [h, w].
/// - fit: `resize` resizes the image to [h, w]. `crop` cuts [h, w] from the centre. From a smaller
///   image it cuts the largest centred window with the shape of [h, w] and enlarges that.
/// - shorter: with `crop`, first resizes the image so that its shorter side has this many pixels.
///   `"fit": "crop", "shorter": 256, "size": [224, 224]` is torchvision's Resize(256) and
///   CenterCrop(224). At least h and w.
/// - storage: `image` for JPEG, PNG and WebP, which are decoded and fitted. `raw` and `npy` for
///   pixels in the right size and layout, with one or several images in a file.
/// - via: `read` or `mmap`. Up to 256 files with several images are opened or mapped only once.
///   Other files are opened or mapped each time.
/// - page_cache: `cold` drops the files' pages before each turn, untimed.
/// - on_error: with `fail` a broken file fails the case, and with `skip` it is left out.
/// - shuffle: a new order in every pass over the images. seed: the seed of these orders.
struct Load {
  static constexpr std::string_view name = "load";
  static constexpr std::string_view about = "read images from files; decode and resize them";
  static constexpr Roles roles{.starts = true, .files = FileUse::Reads};

  std::string path = {}, dataset = {};
  std::int64_t batch = 8;
  std::int64_t height = 224, width = 224;
  Fit fit = Fit::Resize;
  std::int64_t shorter = 0;  // 0: the image is not resized before it is cropped
  Layout layout = Layout::Nhwc;
  Storage storage = Storage::Image;
  Via via = Via::Read;
  PageCache page_cache = PageCache::Warm;
  OnError on_error = OnError::Fail;
  bool shuffle = false;
  std::uint64_t seed = 0;
  std::vector<std::string> files = {};  // set by resolve(): every file that matches, in order
  std::string root = {};                // the common start of `files`; the rest is a file's name
  Beside beside = {};                   // files next to `files` that are not loaded
  std::string searched = {};            // the folder where resolve() did not find the dataset
  // From the folder's manifest, if it has one: how long the preparation of the files took, in s,
  // and the mean peak signal-to-noise ratio of their images in dB (0: all pixels are unchanged).
  double prepare_seconds = 0, psnr_db = 0;
  // The filter with which `reference` resizes. To check a peer, it is set to the peer's filter.
  ResizeFilter held_to = ResizeFilter::Triangle;
  // Shared by copies of the op, so that each file is tried once.
  std::shared_ptr<Probe> probe = std::make_shared<Probe>();

  static Load read(Reader& reader);
  /// Finds the files with find_files(), by the endings for `storage`. `files` stays empty if
  /// neither a path nor --images was given, or if the dataset does not exist. Throws Invalid if the
  /// path does not exist or matches nothing. Also throws Invalid if the manifest is damaged, does
  /// not fit the files, or gives another size for files of pixels.
  void resolve(const Paths& paths);
  /// Returns the name of the dataset, with {height} and {width} filled in.
  std::string dataset_name() const;
  /// Returns why `files` is empty.
  std::string why_no_files() const;
  /// Returns the name of one of the files: "a.jpg", "cat/a.jpg".
  std::string name_of_file(const std::string& file) const { return file.substr(root.size()); }
  /// Returns what is known about one of the files. Tries to read it the first time.
  FileContents contents(const std::string& file) const;
  /// Returns the number of images in all `files`. An encoded file counts as one image, even if
  /// broken.
  std::int64_t image_count() const;
  /// Returns which images each item reads. Tries each of `files` once. Throws std::runtime_error if
  /// no file is left, or if on_error is `fail` and a file is broken. The message names every broken
  /// file.
  ImageWalk walk() const;
  /// Describes an image as the op outputs it, and as raw and npy files store it.
  TensorDesc image() const;
  /// Returns the part of an image of this size that is resized to [height, width]. For a loader
  /// without `shorter`.
  Window window(std::int64_t image_height, std::int64_t image_width) const;
  /// Returns the rows and columns of an image of this size that become [height, width]. For a
  /// loader with `shorter`.
  std::pair<AxisPart, AxisPart> centre_of(double image_height, double image_width) const;
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first,
                 std::int64_t item) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
};

/// Returns the files that cannot be read. Tries each file once.
std::vector<BrokenFiles> broken_files(const Load& load);
/// Returns the files that can be read but have a remark. Tries each file once.
std::vector<RemarkedFiles> remarked_files(const Load& load);

}  // namespace normbench
