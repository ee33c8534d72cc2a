#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "backend/cpu/move_simd.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"
#include "core/input_file.h"
#include "ops/images/image.h"

namespace normbench {
namespace {

/// The buffers that an image passes through. They are kept between calls, as in data loaders.
struct Workspace {
  std::vector<std::uint8_t> file;
  DecodeMemory decoding;
  Image decoded, window, fitted;
  YcbcrImage planes;
  std::vector<std::byte> fitted_planes;
};

/// A pool of workspaces. It grows to the number of threads that work at the same time.
class Workspaces {
 public:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    auto workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

View sized(Image& image, std::int64_t height, std::int64_t width) {
  set_size(image, height, width);
  return view_of(image);
}

/// Copies an interleaved image of three byte channels to an image of any layout.
void copy_pixels(const View& from, const View& to) {
  const Strides &f = from.desc.strides, &t = to.desc.strides;
  gather({.from = {from.data, {f.w, f.c}},
          .to = {to.data, {t.w, t.c}},
          .channels = 3,
          .pixels = to.desc.shape.w,
          .rows = to.desc.shape.h,
          .stride = f.h},
         1);
}

/// An image to be resized, and the part of its rows and columns that is used.
struct Pixels {
  View view;
  AxisPart rows, columns;
};

/// Returns a window of the decoded image as a dense image. If the window has all rows and columns
/// of the image, nothing is copied.
Pixels dense_part(const Window& part, Workspace& space) {
  Image& decoded = space.decoded;
  const View window = crop_view(view_of(decoded), *part.top, *part.left, part.height, part.width);
  if (window.desc.is_dense() && part.height == decoded.height)
    return {.view = window, .rows = decoded.rows, .columns = decoded.columns};
  const View copy = sized(space.window, part.height, part.width);
  copy_pixels(window, copy);
  return {.view = copy, .rows = space.window.rows, .columns = space.window.columns};
}

bool is_whole(const AxisPart& part, std::int64_t pixels) {
  return part.begin == 0 && part.length == static_cast<double>(pixels);
}

/// Resizes the pixels to the size and layout of `out`.
void resize_to(const Load& op, const Pixels& from, Workspace& space, Queue& queue,
               const View& out) {
  if (out.desc.layout == Layout::Nhwc)
    return resize_part(from.view, from.rows, from.columns, out, queue);
  const View fitted = sized(space.fitted, op.height, op.width);
  resize_part(from.view, from.rows, from.columns, fitted, queue);
  copy_pixels(fitted, out);
}

/// Resizes the centre of the decoded image to the size of `out`. The scale is the one that makes
/// the shorter side of the whole image `op.shorter` pixels long.
void fit_centre(const Load& op, Workspace& space, Queue& queue, const View& out) {
  Image& image = space.decoded;
  auto [rows, columns] = op.centre_of(image.rows.length, image.columns.length);
  rows.begin += image.rows.begin;
  columns.begin += image.columns.begin;
  resize_to(op, {.view = view_of(image), .rows = rows, .columns = columns}, space, queue, out);
}

/// Crops and resizes the decoded image to the size and layout of `out`.
void fit(const Load& op, Workspace& space, Queue& queue, const View& out) {
  const Image& image = space.decoded;
  if (op.shorter > 0) return fit_centre(op, space, queue, out);
  const Window part = op.window(image.height, image.width);
  if (part.height == op.height && part.width == op.width && is_whole(image.rows, image.height) &&
      is_whole(image.columns, image.width))
    return copy_pixels(
        crop_view(view_of(space.decoded), *part.top, *part.left, part.height, part.width), out);
  resize_to(op, dense_part(part, space), space, queue, out);
}

/// Calls `use` with the bytes of a whole file, which is read or mapped depending on `op.via`.
template <class Use>
void with_bytes(const Load& op, const std::string& file, Workspace& space, Queue& queue, Use use) {
  std::optional<MappedFile> mapped;
  std::span<const std::uint8_t> bytes;
  {
    const Range range(queue.recorder, RangeKind::Part, name_of(op.via));
    if (op.via == Via::Mmap) {
      mapped.emplace(file);
      bytes = {reinterpret_cast<const std::uint8_t*>(mapped->bytes().data()),
               mapped->bytes().size()};
    } else {
      read_file(file, space.file);
      bytes = space.file;
    }
  }
  use(bytes);
}

/// Returns `out` as the decoder's target, so that an image of the size of `out` can be decoded
/// directly into `out`. Returns no target if `out` has planes, or if images are resized or decoded
/// smaller first.
ImageTarget target_of(const Load& op, const LeastSize& least, const View& out) {
  if (least.height > 0 || op.shorter > 0 || out.desc.layout != Layout::Nhwc) return {};
  return {op.height, op.width, reinterpret_cast<std::uint8_t*>(out.data)};
}

/// Decodes one file and fits it to `out`. The decoder may decode the image at a reduced size, but
/// not below `least`. If the sizes in `least` are 0, the decoder decodes the full size.
void decode_one(const Load& op, const LeastSize& least, const std::string& file, Workspace& space,
                Queue& queue, const View& out) {
  space.decoded.target = target_of(op, least, out);
  with_bytes(op, file, space, queue, [&](std::span<const std::uint8_t> bytes) {
    const Range range(queue.recorder, RangeKind::Part, "decode", std::ssize(bytes));
    decode_image(bytes, space.decoded, space.decoding, least);
  });
  const bool is_done = space.decoded.is_in_target();
  space.decoded.target = {};
  if (is_done) return;
  const Range range(queue.recorder, RangeKind::Part, "resize", out.desc.bytes());
  fit(op, space, queue, out);
}

/// Returns true if the part is exactly `samples` whole samples of an axis that has `all` samples.
bool is_window(const AxisPart& part, std::int64_t samples, std::int64_t all) {
  return part.length == static_cast<double>(samples) && part.begin == std::floor(part.begin) &&
         part.begin >= 0 && part.begin + part.length <= static_cast<double>(all);
}

/// Resizes or copies a plane of the decoded image to one channel of an output in the format `to`.
void fit_plane(const Load& op, std::int64_t channel, PixelFormat to, YcbcrImage& image,
               Queue& queue, const View& out) {
  const auto [rows, columns] = op.plane_parts(image, channel, to);
  const View plane = view_of(image, channel);
  const Shape &size = out.desc.shape, &from = plane.desc.shape;
  if (!is_window(rows, size.h, from.h) || !is_window(columns, size.w, from.w))
    return resize_part(plane, rows, columns, out, queue);
  const View window = crop_view(plane, static_cast<std::int64_t>(rows.begin),
                                static_cast<std::int64_t>(columns.begin), size.h, size.w);
  for (std::int64_t y = 0; y < size.h; ++y)
    std::memcpy(out.data + y * out.desc.strides.h, window.data + y * window.desc.strides.h,
                static_cast<std::size_t>(size.w));
}

/// Decodes the planes of one file and fits each of them to `out`. If `out` has no planes, fits them
/// to the size of `out` and converts them.
void decode_one_by_planes(const Load& op, const LeastSize& least, const std::string& file,
                          Workspace& space, Queue& queue, const View& out) {
  with_bytes(op, file, space, queue, [&](std::span<const std::uint8_t> bytes) {
    const Range range(queue.recorder, RangeKind::Part, "decode", std::ssize(bytes));
    decode_planes(bytes, space.planes, space.decoding, space.decoded, least);
  });
  View fitted = out;
  if (!out.desc.shape.is_ycbcr()) {
    const Shape shape{1, out.desc.shape.c, op.height, op.width, PixelFormat::Ycbcr444};
    fitted.desc = dense(DType::UInt8, Layout::Nchw, shape, Memory::Pageable);
    space.fitted_planes.resize(static_cast<std::size_t>(fitted.desc.bytes()));
    fitted.data = space.fitted_planes.data();
  }
  {
    const Range range(queue.recorder, RangeKind::Part, "resize", fitted.desc.bytes());
    fit_planes(op, space.planes, fitted, queue);
  }
  if (out.desc.shape.is_ycbcr()) return;
  const Range range(queue.recorder, RangeKind::Part, "convert", out.desc.bytes());
  convert_to_rgb(fitted, out, queue);
}

/// Returns the message of the exception that `load_image` throws, or "".
template <class LoadImage>
std::string reason_of(const LoadImage& load_image) try {
  load_image();
  return "";
} catch (const std::exception& error) {
  return error.what();
}

/// Returns the name of the range that records the loading of `file`. The recorder stores the name.
/// Returns "" if there is no recorder.
std::string_view range_name(const Load& op, const std::string& file, Recorder* recorder) {
  return recorder == nullptr ? "" : recorder->intern(op.name_of_file(file));
}

/// Calls `load_image(i, place)` for every image i of a batch, where `place` says in which file the
/// image is. A thread that has finished an image takes the next one, because photographs differ in
/// size. If files could not be loaded, throws std::runtime_error with their names.
template <class LoadImage>
void load_batch(const Load& op, const ImageWalk& walk, Queue& queue, LoadImage load_image) {
  const std::vector<ImagePlace> places = walk.places_of(queue.item);
  std::vector<std::string> names, reasons(places.size());
  std::atomic<std::size_t> next{0};
  const auto load_some = [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < places.size(); i = next++) {
      const Range range(queue.recorder, RangeKind::Image,
                        range_name(op, walk.files()[places[i].file], queue.recorder));
      reasons[i] = reason_of([&] { load_image(i, places[i]); });
    }
  };
  if (places.size() == 1)
    load_some(0, 1);  // on this thread alone; the whole team resizes the single image
  else
    split(queue, std::min<std::int64_t>(queue.threads, std::ssize(places)), 1, load_some);
  for (const ImagePlace& place : places) names.push_back(op.name_of_file(walk.files()[place.file]));
  throw_if_broken(names, reasons);
}

/// Decodes one file to `out`, which is one image of the output.
using DecodeOne = void (*)(const Load& op, const LeastSize& least, const std::string& file,
                           Workspace& space, Queue& queue, const View& out);

Launch decoding(const Load& op, const LeastSize& least, DecodeOne decode) {
  const auto workspaces = std::make_shared<Workspaces>();
  return [op, least, decode, walk = op.walk(), workspaces](Queue& queue, std::span<const View>,
                                                           std::span<const View> out, View) {
    load_batch(op, walk, queue, [&](std::size_t i, const ImagePlace& place) {
      auto space = workspaces->take();
      decode(op, least, walk.files()[place.file], *space, queue,
             images_of(out[0], static_cast<std::int64_t>(i), 1));
      workspaces->give_back(std::move(space));
    });
  };
}

bool accepts_decode(const Load& op, const Signature& s) {
  return op.storage == Storage::Image && s.out[0].is_dense();
}
bool accepts_planes(const Load& op, const Signature& s) {
  return accepts_decode(op, s) && op.format == PixelFormat::Rgb;
}

/// Returns the function that decodes to the format of the op: to RGB pixels, or to YCbCr planes.
DecodeOne suitable(const Load& op) {
  return op.format == PixelFormat::Rgb ? &decode_one : &decode_one_by_planes;
}
Launch prepare_decode(const Load& op, const Signature&) { return decoding(op, {}, suitable(op)); }
Launch prepare_scaled(const Load& op, const Signature&) {
  return decoding(op, op.least(), suitable(op));
}
/// Decodes to planes, which are smaller than pixels, and converts them after they were resized.
Launch prepare_planes(const Load& op, const Signature&) {
  return decoding(op, {}, &decode_one_by_planes);
}

/// Reads the pixels of files that need no decoding. Files with several images stay open or mapped
/// between calls, but at most 256 of them. If pages are to be dropped from the page cache, no file
/// stays mapped, since a mapping would hold its pages.
class StoredFiles {
 public:
  StoredFiles(const Load& op, const ImageWalk& walk)
      : via_(op.via), keeps_maps_(op.page_cache == PageCache::Warm) {
    open_.resize(walk.files().size());
    mapped_.resize(walk.files().size());
    for (const ImagePlace& place : walk.places())
      if (!place.alone) keep(op, walk.files()[place.file], place.file);
  }

  void read(const std::string& file, const ImagePlace& place, std::span<std::byte> to) const {
    if (via_ == Via::Mmap) {
      const auto& kept = mapped_[place.file];
      return kept ? copy(*kept, place, to) : copy(MappedFile(file), place, to);
    }
    const auto& kept = open_[place.file];
    kept ? kept->read(place.offset, to) : InputFile(file).read(place.offset, to);
  }

 private:
  static constexpr int most_kept_ = 256;  // files; a process can often open only 1024

  void keep(const Load& op, const std::string& file, std::size_t number) try {
    if (open_[number] || mapped_[number] || kept_ == most_kept_) return;
    if (via_ == Via::Mmap && !keeps_maps_) return;
    if (via_ == Via::Read)
      open_[number] = std::make_unique<InputFile>(file);
    else
      mapped_[number] = std::make_unique<MappedFile>(file);
    ++kept_;
  } catch (const std::runtime_error& error) {
    throw_if_broken({op.name_of_file(file)}, {error.what()});
  }

  static void copy(const MappedFile& file, const ImagePlace& place, std::span<std::byte> to) {
    if (place.offset + std::ssize(to) > file.bytes_now()) throw_cut();
    std::memcpy(to.data(), file.bytes().subspan(static_cast<std::size_t>(place.offset)).data(),
                to.size());
  }

  Via via_;
  bool keeps_maps_;
  int kept_ = 0;
  std::vector<std::unique_ptr<InputFile>> open_;     // by file; null: opened for every read
  std::vector<std::unique_ptr<MappedFile>> mapped_;  // by file; null: mapped for every read
};

bool accepts_stored(const Load& op, const Signature& s) {
  return op.storage != Storage::Image && s.out[0].is_dense();
}

Launch prepare_stored(const Load& op, const Signature&) {
  const auto walk = std::make_shared<const ImageWalk>(op.walk());
  const auto stored = std::make_shared<const StoredFiles>(op, *walk);
  return [op, walk, stored](Queue& queue, std::span<const View>, std::span<const View> out, View) {
    load_batch(op, *walk, queue, [&](std::size_t i, const ImagePlace& place) {
      const View image = images_of(out[0], static_cast<std::int64_t>(i), 1);
      const Range range(queue.recorder, RangeKind::Part, name_of(op.via), image.desc.bytes());
      stored->read(walk->files()[place.file], place,
                   {image.data, static_cast<std::size_t>(image.desc.bytes())});
    });
  };
}

/// The lowest allowed peak signal-to-noise ratio, in dB, between a photograph decoded at a smaller
/// size and the same photograph decoded in full. Both are compared after they were resized to the
/// size of the output. They differ because different filters made them smaller.
constexpr double scaled_psnr_db = 28;

/// The lowest allowed ratio for a photograph whose planes are resized before they are converted to
/// RGB. The result differs from that of the reference because libjpeg first upsamples chroma with a
/// filter of its own.
constexpr double planes_psnr_db = 40;

/// Returns the row with `psnr_db` as its lowest allowed ratio. If that ratio is scaled_psnr_db, the
/// row may decode images at a smaller size.
constexpr Kernel with_psnr(Kernel kernel, double psnr_db) {
  kernel.psnr_db = psnr_db;
  kernel.decodes_smaller = psnr_db == scaled_psnr_db;
  return kernel;
}

}  // namespace

void fit_planes(const Load& op, YcbcrImage& image, const View& to, Queue& queue) {
  for (std::int64_t c = 0; c < to.desc.shape.c; ++c)
    fit_plane(op, c, to.desc.shape.format, image, queue, plane_view(to, c));
}

std::span<const Kernel> load_rows() {
  static const std::array rows{
      reference_row(Load::name), row<Load, accepts_decode, prepare_decode>("decode"),
      with_psnr(row<Load, accepts_decode, prepare_scaled>("scaled"), scaled_psnr_db),
      with_psnr(row<Load, accepts_planes, prepare_planes>("planes"), planes_psnr_db),
      row<Load, accepts_stored, prepare_stored>("stored")};
  return rows;
}

}  // namespace normbench
