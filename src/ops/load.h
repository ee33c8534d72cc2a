#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "ops/checks.h"
#include "ops/crop.h"
#include "ops/images/ycbcr_image.h"
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

/// Decides which images a `load` stage reads. An item is one iteration of a turn (a timed series of
/// iterations of a variant), counted from 0. Every item reads the next `batch` images. After the
/// last image comes the first one again. An epoch is one pass over all images. Without a seed, each
/// epoch is in name order. With a seed, each epoch has a random order of its own.
class ImageWalk {
 public:
  /// `places` must have at least one element and be sorted by file and offset. With `seed` each
  /// epoch is shuffled.
  ImageWalk(std::vector<std::string> files, std::vector<ImagePlace> places, std::int64_t batch,
            std::optional<std::uint64_t> seed);

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<ImagePlace>& places() const { return places_; }
  /// Returns the images of an item, as indices in places(). Callers may ask for items in any order.
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
/// order (by class first) or shuffled. After the last image comes the first one again. Parameters:
/// - path: a folder, file or glob. --images replaces it.
/// - dataset, instead of path: the name of a folder in --images. {height} and {width} in this name
///   are replaced by the size.
/// - batch, layout, size [h, w].
/// - pixel_format: `rgb`, or a YCbCr format. With a YCbCr format an image has planes, whatever
///   `layout` is, and each is resized or cropped separately. JPEGs are not converted to RGB then,
///   and images with pixels in another format are converted (Remark::Converted). A raw file then
///   has an image's planes one after the other, and a npy file is an array [bytes of an image] or
///   [images, bytes of an image].
/// - fit: `resize` resizes the image to [h, w]. `crop` cuts [h, w] from the centre. If the image is
///   smaller, `crop` cuts the largest centred window with the aspect ratio of [h, w] and enlarges
///   it.
/// - shorter: with `crop`, first resizes the image so that its shorter side has this many pixels.
///   `"fit": "crop", "shorter": 256, "size": [224, 224]` is torchvision's Resize(256) and
///   CenterCrop(224). Must be at least h and at least w.
/// - storage: `image` for JPEG, PNG and WebP files, which are decoded and resized or cropped. `raw`
///   and `npy` for files of pixels that have the right size and layout, with one or several images
///   in a file.
/// - via: `read` or `mmap`. Up to 256 files with several images stay open or mapped. All other
///   files are opened or mapped anew for each image. If the page cache is cold, `mmap` maps every
///   file anew for each image.
/// - page_cache: `cold` drops the files' pages from the page cache before each turn (timed series
///   of iterations). The time for dropping them is not measured.
/// - on_error: what happens if a file is broken. `fail`: the variant fails. `skip`: the file is
///   left out.
/// - shuffle: a new order in every pass over the images. seed: the seed of these orders.
struct Load {
  static constexpr std::string_view name = "load";
  static constexpr std::string_view about = "read images from files; decode and resize them";
  static constexpr Roles roles{.starts = true, .files = FileUse::Reads};

  std::string path = {}, dataset = {};
  std::int64_t batch = 8;
  std::int64_t height = 224, width = 224;
  Fit fit = Fit::Resize;
  std::int64_t shorter = 0;      // 0: the image is not resized before it is cropped
  Layout layout = Layout::Nhwc;  // nchw in a YCbCr format
  PixelFormat format = PixelFormat::Rgb;
  Storage storage = Storage::Image;
  Via via = Via::Read;
  PageCache page_cache = PageCache::Warm;
  OnError on_error = OnError::Fail;
  bool shuffle = false;
  std::uint64_t seed = 0;
  std::vector<std::string> files = {};  // set by resolve(): paths of all matching files, in order
  std::string root = {};                // common start of the paths; the rest of a path is its name
  Beside beside = {};                   // pictures that the search found but did not take
  std::string searched = {};            // the folder in which resolve() did not find the dataset
  // From the folder's manifest, if it has one: how long the preparation of the files took, in s,
  // and the mean peak signal-to-noise ratio of their images in dB (0: all pixels are unchanged).
  double prepare_seconds = 0, psnr_db = 0;
  // The filter with which `reference` resizes. To check a peer (another library), this is the
  // filter of that library.
  ResizeFilter held_to = ResizeFilter::Triangle;
  // Shared by copies of the op, so that each file is examined only once.
  std::shared_ptr<Probe> probe = std::make_shared<Probe>();

  static Load read(Reader& reader);
  /// Finds the files with find_files(), by the endings for `storage`. `files` stays empty if
  /// neither a path nor --images was given, or if the dataset does not exist. Throws Invalid if the
  /// path does not exist or matches nothing. For a prepared dataset, also throws Invalid if its
  /// preparation is not finished, if its manifest is damaged, or if the manifest does not match the
  /// files or this op's size and layout.
  void resolve(const Paths& paths);
  /// Returns the name of the dataset, in which {height} and {width} are replaced.
  std::string dataset_name() const;
  /// Returns why `files` is empty.
  std::string why_no_files() const;
  /// Returns the name of one of `files`: "a.jpg", "cat/a.jpg".
  std::string name_of_file(const std::string& file) const { return file.substr(root.size()); }
  /// Returns what is known about one of `files`. The first call for a file examines it.
  FileContents contents(const std::string& file) const;
  /// Returns the number of images in all `files`. An encoded file counts as one image, even if
  /// broken.
  std::int64_t image_count() const;
  /// Returns which images each item reads. Examines each of `files` once. Throws std::runtime_error
  /// if no file has an image that can be read, or if on_error is `fail` and a file is broken. The
  /// message names the broken files.
  ImageWalk walk() const;
  /// Returns which part of the rows and which part of the columns of a plane one channel of the
  /// output covers, in samples of the plane. `to` is the format of the output. The parts may end
  /// beyond the plane.
  std::pair<AxisPart, AxisPart> plane_parts(const YcbcrImage& image, std::int64_t channel,
                                            PixelFormat to) const;
  /// Returns the description of one image, as the op outputs it and as raw and npy files store it.
  TensorDesc image() const;
  /// Returns the smallest size to which a decoder may reduce an image (Kernel::decodes_smaller).
  /// Returns zeros for a crop without a resize, which needs the pixels of the full-size image.
  LeastSize least() const;
  /// For a loader without `shorter`: returns the window that is cut from an image of this size, and
  /// then resized to [height, width].
  Window window(std::int64_t image_height, std::int64_t image_width) const;
  /// For a loader with `shorter` and an image of this size: returns the part of the rows and the
  /// part of the columns that are resized to [height, width].
  std::pair<AxisPart, AxisPart> centre_of(double image_height, double image_width) const;
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first,
                 std::int64_t item) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
};

/// Returns the files that cannot be read. Examines each file once.
std::vector<BrokenFiles> broken_files(const Load& load);
/// Returns the files that can be read but have a remark. Examines each file once.
std::vector<RemarkedFiles> remarked_files(const Load& load);
/// Returns how many of the files are JPEGs that are decoded at a smaller size by kernels that
/// support this (Kernel::decodes_smaller). Examines each file once.
std::int64_t decoded_smaller(const Load& load);

}  // namespace normbench
