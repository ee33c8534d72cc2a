#include "backend/cpu/walk.h"

#include <algorithm>
#include <bit>

#include "backend/cpu/fetch.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/move_simd.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

constexpr std::int64_t kTileBytes = 16384;
constexpr std::int64_t kTilePixels = 1024;
constexpr std::int64_t kBeyond = 512;  // bytes from the end of a tile's input to prefetched data
constexpr std::int64_t kLine = 64;     // bytes; a thread's share starts at a multiple of 64 pixels
constexpr std::int64_t kFewestPixels = 64;  // a PixelBody gets only rows of at least this length

bool interleaved(const TensorDesc& desc) { return desc.layout == Layout::Nhwc && desc.shape.c > 1; }

/// The geometry of one call of walk(). If the input or the output is interleaved, a pixel has all
/// channels, and `planes_` is the number of images. Otherwise a pixel has one channel, and
/// `planes_` is the number of channels of all images together.
class Walk {
 public:
  Walk(const View& in, const View& out, const RunBody& body, const PixelBody& pixels,
       FirstTouches touches)
      : in_(in),
        out_(out),
        body_(body),
        pixel_body_(pixels),
        from_(in.desc.strides),
        to_(out.desc.strides),
        populates_(touches == FirstTouches::Populate) {
    const Shape& shape = out.desc.shape;
    const bool any = interleaved(in.desc) || interleaved(out.desc);
    group_ = any ? shape.c : 1;
    planes_ = shape.n * shape.c / group_;
    pixels_ = shape.h * shape.w;
    one_row_ = from_.h == shape.w * from_.w;  // a plane is one long row
    width_ = one_row_ ? pixels_ : shape.w;
    direct_ = interleaved(in.desc) == interleaved(out.desc) && from_.w == group_ &&
              (group_ == 1 || from_.c == 1);
    dense_pixels_ = one_row_ && from_.w == group_ && interleaved(in.desc);
    seamless_ = direct_ && one_row_ && !populates_ && from_.n == shape.c * pixels_ &&
                to_.n == from_.n && (group_ > 1 || from_.c == pixels_);
    by_pixels_ = pixels && width_ >= kFewestPixels;
    tile_pixels_ = std::min(kTilePixels, kTileBytes / (group_ * size_of(in.desc.dtype)));
    const std::int64_t lines = kPopulatedBytes / (group_ * size_of(out.desc.dtype)) / kLine;
    slice_pixels_ = populates_ ? kLine * std::max<std::int64_t>(1, lines) : pixels_;
  }

  std::int64_t total() const { return planes_ * pixels_; }

  /// Computes pixels [begin, end), counted over all planes. If the planes have no gaps and need
  /// neither tiles nor populating, the pixels are a single run. Otherwise each plane is computed on
  /// its own.
  void part(std::int64_t begin, std::int64_t end) const {
    if (seamless_) {
      if (begin < end)
        run(source(begin / pixels_, begin % pixels_), begin / pixels_, begin % pixels_, 0,
            end - begin);
      return;
    }
    while (begin < end) {
      const std::int64_t plane = begin / pixels_, first = begin % pixels_;
      const std::int64_t last = std::min({pixels_, first + end - begin, first + slice_pixels_});
      if (populates_) populate(plane, first, last);
      runs(plane, pixels(plane, first, last), last);
      begin += last - first;
    }
  }

 private:
  const std::byte* source(std::int64_t plane, std::int64_t pixel) const {
    const std::int64_t channels = out_.desc.shape.c;
    const std::int64_t n = group_ == 1 ? plane / channels : plane;
    const std::int64_t c = group_ == 1 ? plane % channels : 0;
    const std::int64_t y = one_row_ ? 0 : pixel / width_, x = pixel - y * width_;
    return in_.data +
           size_of(in_.desc.dtype) * (n * from_.n + c * from_.c + y * from_.h + x * from_.w);
  }

  /// Returns the end of the row that holds the pixel, at most `end`.
  std::int64_t row_end(std::int64_t pixel, std::int64_t end) const {
    return one_row_ ? end : std::min(end, (pixel / width_ + 1) * width_);
  }

  /// Returns the output address of channel `c` of a pixel.
  std::byte* target(std::int64_t plane, std::int64_t pixel, std::int64_t c) const {
    const std::int64_t in_group = group_ == 1 ? out_.desc.shape.c : 1;  // planes of an image
    const std::int64_t n = plane / in_group;
    const std::int64_t element = interleaved(out_.desc)
                                     ? pixel * group_ + c
                                     : (plane % in_group * group_ + c) * pixels_ + pixel;
    return out_.data + size_of(out_.desc.dtype) * (n * to_.n + element);
  }

  /// Populates the pages of the output that get pixels [begin, end) of a plane.
  void populate(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    const bool all = interleaved(out_.desc);
    const std::int64_t bytes = (end - begin) * (all ? group_ : 1) * size_of(out_.desc.dtype);
    for (std::int64_t c = 0; c < (all ? 1 : group_); ++c)
      populate_pages(target(plane, begin, c), bytes);
  }

  /// Computes `count` pixels as one run. If the output is interleaved, the run has all channels.
  /// Otherwise it has only channel `c`.
  void run(const std::byte* in, std::int64_t plane, std::int64_t pixel, std::int64_t c,
           std::int64_t count, const std::byte* ahead = nullptr) const {
    const bool all = interleaved(out_.desc);
    const std::int64_t channel = group_ == 1 ? plane % out_.desc.shape.c : c;
    body_({.in = in,
           .out = target(plane, pixel, c),
           .elements = all ? count * group_ : count,
           .channel = channel,
           .period = all ? group_ : 1,
           .planes = {.left = pixels_ - pixel, .elements = pixels_, .channels = out_.desc.shape.c},
           .ahead = ahead});
  }

  /// Computes pixels [begin, end) of a plane, without tiles. Rows of the input and rows of the
  /// output must have the same layout.
  void rows(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    while (begin < end) {
      const std::int64_t next = row_end(begin, end);
      if (next < end) fetch_soon(plane, next, row_end(next, end) - next);
      run(source(plane, begin), plane, begin, 0, next - begin);
      begin = next;
    }
  }

  /// Computes pixels [begin, end) of a plane with `body_`.
  void runs(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    direct_ ? rows(plane, begin, end) : tiles(plane, begin, end);
  }

  /// Returns the strides of a buffer that is laid out like the output and has `plane` pixels per
  /// plane.
  PixelStrides target_strides(std::int64_t plane) const {
    return interleaved(out_.desc) ? PixelStrides{group_, 1} : PixelStrides{1, plane};
  }

  /// Computes pixels [begin, end) of a plane: rows of at least kFewestPixels pixels with
  /// `pixel_body_`, shorter rows with `body_`. Stops at a row for which `pixel_body_` returns
  /// false. Returns the first pixel that is not done.
  std::int64_t pixels(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    while (by_pixels_ && begin < end) {
      const std::int64_t row = row_end(begin, end) - begin;
      const std::int64_t rows = row == width_ ? (end - begin) / width_ : 1;
      if (row < kFewestPixels) {
        runs(plane, begin, begin + row);
      } else if (!pixel_body_({.from = {source(plane, begin), {from_.w, from_.c}},
                               .to = {target(plane, begin, 0), target_strides(pixels_)},
                               .channels = group_,
                               .pixels = row,
                               .rows = rows,
                               .stride = from_.h * size_of(in_.desc.dtype)})) {
        break;
      }
      begin += rows * row;
    }
    return begin;
  }

  /// Returns the distance in pixels from `pixel` back to the nearest pixel at which a cache line of
  /// the output starts. Returns 0 if none of the 64 pixels up to `pixel` is such a pixel.
  std::int64_t past_line(std::int64_t plane, std::int64_t pixel, std::int64_t c) const {
    const auto past = reinterpret_cast<std::uintptr_t>(target(plane, pixel, c)) % kLine;
    const auto size = static_cast<std::uintptr_t>(size_of(out_.desc.dtype));
    if (!interleaved(out_.desc)) return static_cast<std::int64_t>(past >> std::countr_zero(size));
    const auto stride = size * static_cast<std::uintptr_t>(group_);
    for (std::uintptr_t pixels = 0; pixels < kLine; ++pixels)
      if ((past - pixels * stride) % kLine == 0) return static_cast<std::int64_t>(pixels);
    return 0;
  }

  /// Returns the end of the run of channel `c` in a tile that ends at `pixel`. The run ends at a
  /// cache line of the output, unless the tile is the last one or tiles have fewer than 2 * kLine
  /// pixels.
  std::int64_t cut(std::int64_t plane, std::int64_t pixel, std::int64_t c, std::int64_t begin,
                   std::int64_t end) const {
    if (pixel == end || tile_pixels_ < 2 * kLine) return pixel;
    return std::max(begin, pixel - past_line(plane, pixel, c));
  }

  /// Starts to load `count` pixels of a row into the cache.
  void fetch_soon(std::int64_t plane, std::int64_t pixel, std::int64_t count) const {
    if (pixel + count > pixels_) return;
    const std::int64_t size = size_of(in_.desc.dtype);
    for (std::int64_t c = 0; c < (from_.c == 1 ? 1 : group_); ++c) {
      const std::byte* first = source(plane, pixel) + c * from_.c * size;
      const std::byte* last = first + (count - 1) * from_.w * size;
      for (auto line = std::min(first, last); line <= std::max(first, last); line += kLine)
        fetch_line(line);
    }
  }

  /// Gathers pixels [begin, end) of a plane into a tile, row by row.
  void fill(std::byte* tile, PixelStrides to, std::int64_t plane, std::int64_t begin,
            std::int64_t end) const {
    const std::int64_t size = size_of(in_.desc.dtype);
    for (std::int64_t pixel = begin; pixel < end;) {
      const std::int64_t next = row_end(pixel, end);
      if (!dense_pixels_) fetch_soon(plane, pixel + width_, next - pixel);
      gather({.from = {source(plane, pixel), {from_.w, from_.c}},
              .to = {tile + (pixel - begin) * to.pixel * size, to},
              .channels = group_,
              .pixels = next - pixel},
             size);
      pixel = next;
    }
  }

  /// Computes pixels [begin, end) of a plane, with tiles. A tile holds pixels in the dtype of the
  /// input, laid out like the output. The run of each channel begins and ends at a cache line of
  /// the output, so a tile begins with the pixels that the previous tile left over. Memory would
  /// idle while a tile is computed. So if the input is interleaved and has no gaps between rows,
  /// each channel's run prefetches a share of the next tile.
  void tiles(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    alignas(kLine) std::byte tile[kTileBytes];
    const std::int64_t size = size_of(in_.desc.dtype);
    const bool all = interleaved(out_.desc);
    const PixelStrides to = target_strides(tile_pixels_);
    std::int64_t from = begin;
    for (std::int64_t pixel = begin; pixel < end;) {
      const std::int64_t next = std::min(end, from + tile_pixels_);
      fill(tile, to, plane, from, next);
      const std::int64_t base = from;
      const std::byte* ahead =
          dense_pixels_ ? source(plane, base) + tile_pixels_ * group_ * size + kBeyond : nullptr;
      from = next;
      for (std::int64_t c = 0; c < (all ? 1 : group_); ++c) {
        const std::int64_t first = cut(plane, pixel, c, begin, end);
        const std::int64_t last = cut(plane, next, c, begin, end);
        run(tile + ((first - base) * to.pixel + c * to.channel) * size, plane, first, c,
            last - first, ahead);
        if (ahead) ahead += tile_pixels_ * size;
        from = std::min(from, last);
      }
      pixel = next;
    }
  }

  const View in_, out_;
  const RunBody& body_;
  const PixelBody& pixel_body_;
  const Strides from_, to_;
  const bool populates_;
  std::int64_t group_, planes_, pixels_, width_, tile_pixels_, slice_pixels_;
  bool one_row_, direct_, seamless_, dense_pixels_, by_pixels_;
};

}  // namespace

bool walkable(const TensorDesc& in, const TensorDesc& out) {
  return has_dense_images(out) && in.shape.c * size_of(in.dtype) <= kTileBytes;
}

void walk(const View& in, const View& out, const Queue& queue, const RunBody& body,
          const PixelBody& pixels, FirstTouches touches) {
  const Walk geometry(in, out, body, pixels, touches);
  split(queue, geometry.total(), kLine,
        [&](std::int64_t begin, std::int64_t end) { geometry.part(begin, end); });
}

}  // namespace normbench
