#include "backend/cpu/walk.h"

#include <algorithm>

#include "backend/cpu/gather.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

constexpr std::int64_t kTileBytes = 16384;
constexpr std::int64_t kTilePixels = 1024;
constexpr std::int64_t kLine = 64;  // bytes; also the pixels that every split is a multiple of

bool interleaved(const TensorDesc& desc) { return desc.layout == Layout::Nhwc && desc.shape.c > 1; }

/// The geometry of one walk. A pixel is `group` channels: all of them where one side is
/// interleaved, one where both are planes. `planes` counts images or channel planes.
class Walk {
 public:
  Walk(const View& in, const View& out, const std::function<void(const Run&)>& body)
      : in_(in), out_(out), body_(body), from_(in.desc.strides) {
    const Shape& shape = out.desc.shape;
    const bool any = interleaved(in.desc) || interleaved(out.desc);
    group_ = any ? shape.c : 1;
    planes_ = shape.n * shape.c / group_;
    pixels_ = shape.h * shape.w;
    const bool rows_follow = from_.h == shape.w * from_.w;  // they are one long row
    width_ = rows_follow ? pixels_ : shape.w;
    direct_ = interleaved(in.desc) == interleaved(out.desc) && from_.w == group_ &&
              (group_ == 1 || from_.c == 1);
    tile_pixels_ = std::min(kTilePixels, kTileBytes / (group_ * size_of(in.desc.dtype)));
  }

  std::int64_t total() const { return planes_ * pixels_; }

  /// Pixels [begin, end) of all planes, row by row and tile by tile.
  void part(std::int64_t begin, std::int64_t end) const {
    while (begin < end) {
      const std::int64_t plane = begin / pixels_, pixel = begin % pixels_;
      const std::int64_t row_end = (pixel / width_ + 1) * width_;
      const std::int64_t count = std::min(end - begin, row_end - pixel);
      if (direct_) {
        run(source(plane, pixel), plane, pixel, 0, count);
      } else {
        tiles(plane, pixel, count);
      }
      begin += count;
    }
  }

 private:
  const std::byte* source(std::int64_t plane, std::int64_t pixel) const {
    const std::int64_t planes_per_image = out_.desc.shape.c / group_;
    const std::int64_t n = plane / planes_per_image, c = plane % planes_per_image;
    const std::int64_t y = pixel / width_, x = pixel % width_;
    return in_.data +
           size_of(in_.desc.dtype) * (n * from_.n + c * from_.c + y * from_.h + x * from_.w);
  }

  /// The address of channel `c` of the group at a pixel.
  std::byte* target(std::int64_t plane, std::int64_t pixel, std::int64_t c) const {
    const std::int64_t element = interleaved(out_.desc) ? (plane * pixels_ + pixel) * group_ + c
                                                        : (plane * group_ + c) * pixels_ + pixel;
    return out_.data + size_of(out_.desc.dtype) * element;
  }

  /// One run: all channels of the pixels when the output is interleaved, else channel `c` of them.
  void run(const std::byte* in, std::int64_t plane, std::int64_t pixel, std::int64_t c,
           std::int64_t count) const {
    const bool all = interleaved(out_.desc);
    const std::int64_t channel = all ? 0 : (plane * group_ + c) % out_.desc.shape.c;
    body_({.in = in,
           .out = target(plane, pixel, c),
           .elements = all ? count * group_ : count,
           .channel = channel,
           .period = all ? group_ : 1});
  }

  /// Gathers tile by tile in the input's dtype, laid out as the output is. The first tile ends
  /// where the output's next cache line starts.
  void tiles(std::int64_t plane, std::int64_t pixel, std::int64_t count) const {
    alignas(kLine) std::byte tile[kTileBytes];
    const std::int64_t size = size_of(in_.desc.dtype);
    while (count > 0) {
      std::int64_t now = tile_pixels_;
      const auto past = static_cast<std::int64_t>(
          reinterpret_cast<std::uintptr_t>(target(plane, pixel, 0)) % kLine);
      now -= std::min(now - 1, past / size_of(out_.desc.dtype));
      now = std::min(now, count);
      const bool all = interleaved(out_.desc);
      const PixelStrides to = all ? PixelStrides{group_, 1} : PixelStrides{1, tile_pixels_};
      gather({source(plane, pixel), {from_.w, from_.c}}, {tile, to}, now, group_, size);
      if (all) {
        run(tile, plane, pixel, 0, now);
      } else {
        for (std::int64_t c = 0; c < group_; ++c)
          run(tile + c * tile_pixels_ * size, plane, pixel, c, now);
      }
      pixel += now;
      count -= now;
    }
  }

  const View in_, out_;
  const std::function<void(const Run&)>& body_;
  const Strides from_;
  std::int64_t group_, planes_, pixels_, width_, tile_pixels_;
  bool direct_;
};

}  // namespace

bool walkable(const TensorDesc& in, const TensorDesc& out) {
  return out.is_dense() && in.shape.c * size_of(in.dtype) <= kTileBytes;
}

void walk(const View& in, const View& out, const Queue& queue,
          const std::function<void(const Run&)>& body) {
  const Walk geometry(in, out, body);
  split(queue, geometry.total(), kLine,
        [&](std::int64_t begin, std::int64_t end) { geometry.part(begin, end); });
}

}  // namespace normbench
