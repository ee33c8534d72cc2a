#include "backend/cpu/resize_simd.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/resize_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/transpose-inl.h"
#include "backend/cpu/weigh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

constexpr std::int64_t kBlock = 256;  // elements of an input row that are blended at once
constexpr std::int64_t kChunk = 96;   // elements of an output row that are stored at once

/// Computes as many output rows at once as a vector has lanes. For each of these rows, the vertical
/// filter blends input rows, block by block. The blended rows are transposed into a tile, in which
/// each vector holds one column. So one load and one multiplication compute a tap of the horizontal
/// filter for all rows. The results are transposed back.
template <DType T>
class Resizer {
 public:
  Resizer(const ResizePlanes& planes, const Filter& vertical, const Filter& horizontal)
      : planes_(planes),
        vertical_(vertical),
        horizontal_(horizontal),
        in_row_(planes.in_width * planes.group),
        out_row_(planes.out_width * planes.group),
        chunk_(std::max(std::int64_t{1}, kChunk / planes.group) * planes.group),
        chunk_stride_(chunk_ + 2 * lanes()),
        blended_(zeros(kBlock * lanes())),
        tile_(zeros((kBlock + horizontal.most_taps * planes.group + kQuad) * lanes())),
        weighed_(zeros((chunk_ + lanes()) * lanes())),
        results_(zeros(chunk_stride_ * lanes())) {}

  void rows(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t plane = begin / planes_.out_height, y = begin % planes_.out_height;
      const std::int64_t count = std::min({lanes(), end - begin, planes_.out_height - y});
      rows_of_plane(plane, y, count);
      begin += count;
    }
  }

 private:
  using Floats = hwy::AlignedFreeUniquePtr<float[]>;

  static Floats zeros(std::int64_t count) {
    Floats floats = hwy::AllocateAligned<float>(static_cast<std::size_t>(count));
    std::fill_n(floats.get(), count, 0.0f);
    return floats;
  }

  /// Computes output rows [y, y + count) of a plane.
  void rows_of_plane(std::int64_t plane, std::int64_t y, std::int64_t count) {
    const auto* in =
        reinterpret_cast<const Storage<T>*>(planes_.in) + plane * planes_.in_height * in_row_;
    auto* out =
        reinterpret_cast<Storage<T>*>(planes_.out) + (plane * planes_.out_height + y) * out_row_;
    std::int64_t start = 0, filled = 0;  // the tile holds elements [start, filled) of a row
    std::int64_t x = 0, stored = 0, ready = 0;
    while (x < planes_.out_width) {
      start = drop_before(pixel(x).first * planes_.group, start, filled);
      const std::int64_t block = std::min(kBlock, in_row_ - filled);
      fill(in + filled, y, count, block, tile_.get() + (filled - start) * lanes());
      filled += block;
      for (; x < planes_.out_width && past_last(x) <= filled; ++x) {
        weigh_pixel(pixel(x), start, ready);
        ready += planes_.group;
        if (ready < chunk_ && x + 1 < planes_.out_width) continue;
        store(out + stored, count, ready);
        stored += ready;
        ready = 0;
      }
    }
  }

  Filter::Pixel pixel(std::int64_t x) const {
    return horizontal_.pixels[static_cast<std::size_t>(x)];
  }
  /// Returns the end of the input elements that output pixel `x` needs, counted from the start of a
  /// row.
  std::int64_t past_last(std::int64_t x) const {
    const Filter::Pixel taps = pixel(x);
    return (taps.first + taps.end - taps.begin) * planes_.group;
  }

  /// Drops the elements before `keep` from the tile, and moves the others to the beginning of the
  /// tile. Returns the first element that the tile then holds.
  std::int64_t drop_before(std::int64_t keep, std::int64_t start, std::int64_t filled) {
    const std::int64_t from = std::min(keep, filled);
    const float* kept = tile_.get() + (from - start) * lanes();
    std::copy(kept, kept + (filled - from) * lanes(), tile_.get());
    return from;
  }

  /// Blends a block of input columns for output rows [y, y + count) and transposes it into `tile`.
  void fill(const Storage<T>* in, std::int64_t y, std::int64_t count, std::int64_t columns,
            float* tile) {
    for (std::int64_t r = 0; r < count; ++r) {
      const Filter::Pixel taps = vertical_.pixels[static_cast<std::size_t>(y + r)];
      blend<T>(in + taps.first * in_row_, in_row_, vertical_.weights.data() + taps.begin,
               taps.end - taps.begin, columns, blended_.get() + r * kBlock);
    }
    transpose(blended_.get(), kBlock, count, columns, tile, lanes());
  }

  /// Computes all channels of an output pixel in all rows of the tile, which begins with input
  /// element `start`. Stores them in `weighed_`, which already has `ready` elements.
  void weigh_pixel(Filter::Pixel taps, std::int64_t start, std::int64_t ready) {
    const float* weights = horizontal_.weights.data() + taps.begin;
    const std::int64_t n = lanes(), step = planes_.group * n, count = taps.end - taps.begin;
    const float* in = tile_.get() + (taps.first * planes_.group - start) * n;
    float* out = weighed_.get() + ready * n;
    if (planes_.group == 3) {
      weigh<3>(
          weights, count,
          [&](std::int64_t tap, int c) { return hn::Load(F(), in + tap * step + c * n); }, out);
      return;
    }
    for (std::int64_t c = 0; c < planes_.group; ++c, in += n, out += n)
      weigh<1>(
          weights, count, [&](std::int64_t tap, int) { return hn::Load(F(), in + tap * step); },
          out);
  }

  /// Stores `elements` elements of each of `count` output rows, from `out` on.
  void store(Storage<T>* out, std::int64_t count, std::int64_t elements) {
    transpose(weighed_.get(), lanes(), elements, lanes(), results_.get(), chunk_stride_);
    for (std::int64_t r = 0; r < count; ++r)
      store_row<T>(results_.get() + r * chunk_stride_, out + r * out_row_, elements);
  }

  const ResizePlanes& planes_;
  const Filter &vertical_, &horizontal_;
  const std::int64_t in_row_, out_row_;  // elements
  const std::int64_t chunk_, chunk_stride_;
  const Floats blended_;  // a block of blended rows
  const Floats tile_;     // columns of the input, one vector each
  const Floats weighed_;  // a chunk of the output's columns, one vector each
  const Floats results_;  // the same chunk, transposed to rows
};

template <DType T>
void resize(const ResizePlanes& planes, const Filter& vertical, const Filter& horizontal,
            std::int64_t begin, std::int64_t end) {
  Resizer<T>(planes, vertical, horizontal).rows(begin, end);
}

ResizeFunction pick_resize(DType dtype) {
  return with_fixed(dtype, []<DType T>(Fixed<T>) -> ResizeFunction { return &resize<T>; });
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_resize);

ResizeFunction resize_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_resize)(dtype); }

}  // namespace normbench
#endif
