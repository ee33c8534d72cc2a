#include "backend/cpu/resize_simd.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/resize_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/spread_bytes-inl.h"
#include "backend/cpu/transpose-inl.h"
#include "backend/cpu/weigh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

constexpr std::int64_t kStrip = 4096;  // elements of an input row that are blended at once
constexpr std::int64_t kBlock = 256;   // elements of a blended row that are transposed at once
constexpr std::int64_t kChunk = 96;    // elements of an output row that are stored at once
/// Blended rows are a multiple of HWY_MAX_BYTES and this number of elements apart. If it were a
/// power of two, the elements of a column would compete for the same lines of the cache.
constexpr std::int64_t kStripPadding = 16;
static_assert(kBlock % HWY_MAX_BYTES == 0 && kStrip % kBlock == 0);

/// Computes as many output rows at once as a vector has lanes. The vertical filter blends input
/// rows to these rows, strip by strip. A strip is long enough to read memory in its order, and
/// short enough for the blended rows to stay in the cache. They are transposed into a tile, block
/// by block. In the tile each vector holds one column, so one load and one multiplication compute a
/// tap of the horizontal filter for all rows. The results are transposed back.
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
        strip_stride_(padded(std::min(kStrip, in_row_)) + kStripPadding),
        blended_(zeros(strip_stride_ * lanes())),
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
  static constexpr bool kCanSumBytes = kSpreadsBytes && T == DType::UInt8;

  static Floats zeros(std::int64_t count) {
    Floats floats = hwy::AllocateAligned<float>(static_cast<std::size_t>(count));
    std::fill_n(floats.get(), count, 0.0f);
    return floats;
  }

  /// Returns the number of elements with whole chunks of spread_bytes().
  static std::int64_t padded(std::int64_t elements) {
    return (elements + HWY_MAX_BYTES - 1) / HWY_MAX_BYTES * HWY_MAX_BYTES;
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
      if (filled % kStrip == 0)
        fill_strip(in + filled, y, count, std::min(kStrip, in_row_ - filled));
      transpose_blended(filled % kStrip, count, block, tile_.get() + (filled - start) * lanes());
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
  std::int64_t past_last(std::int64_t x) const { return pixel(x).past_last() * planes_.group; }

  /// Drops the elements before `keep` from the tile, and moves the others to the beginning of the
  /// tile. Returns the first element that the tile then holds.
  std::int64_t drop_before(std::int64_t keep, std::int64_t start, std::int64_t filled) {
    const std::int64_t from = std::min(keep, filled);
    const float* kept = tile_.get() + (from - start) * lanes();
    std::copy(kept, kept + (filled - from) * lanes(), tile_.get());
    return from;
  }

  float* blended_row(std::int64_t r) { return blended_.get() + r * strip_stride_; }

  /// Blends a strip of input columns for output rows [y, y + count).
  void fill_strip(const Storage<T>* in, std::int64_t y, std::int64_t count, std::int64_t columns) {
    if (!vertical_.shares.empty()) return spread_strip(in, y, count, columns);
    for (std::int64_t r = 0; r < count; ++r) {
      const Filter::Pixel taps = vertical_.pixels[static_cast<std::size_t>(y + r)];
      blend<T>(in + taps.first * in_row_, in_row_, vertical_.weights.data() + taps.begin,
               taps.end - taps.begin, columns, blended_row(r));
    }
  }

  /// Does the same, but converts each input row only once for the two output rows that it reaches.
  void spread_strip(const Storage<T>* in, std::int64_t y, std::int64_t count,
                    std::int64_t columns) {
    const auto spread_rows = [&]<bool Before, bool After>(std::int64_t r) {
      const std::int64_t begin = first_row(y + r + 1), end = first_row(y + r + 2);
      const Storage<T>* const rows = in + begin * in_row_;
      float* const before = blended_row(Before ? r : 0);
      float* const after = blended_row(After ? r + 1 : 0);
      if constexpr (kCanSumBytes)
        if (sums_bytes())
          return spread_bytes<Before, After>(Sums(), rows, in_row_, vertical_, begin, end - begin,
                                             columns, before, after);
      spread<T, Before, After>(rows, in_row_, vertical_.shares.before.data() + begin,
                               vertical_.shares.after.data() + begin, end - begin, columns, before,
                               after);
    };
    spread_rows.template operator()<false, true>(-1);
    for (std::int64_t r = 0; r + 1 < count; ++r) spread_rows.template operator()<true, true>(r);
    spread_rows.template operator()<true, false>(count - 1);
  }

  bool sums_bytes() const { return kCanSumBytes && !vertical_.fixed.empty(); }

  /// Transposes `columns` columns of the blended rows, from column `begin` of the strip on.
  void transpose_blended(std::int64_t begin, std::int64_t count, std::int64_t columns,
                         float* tile) {
    const float* const in = blended_.get() + begin;
    if constexpr (kCanSumBytes)
      if (sums_bytes())
        return transpose(in, strip_stride_, count, columns, tile, lanes(), place_of_column);
    transpose(in, strip_stride_, count, columns, tile, lanes());
  }

  /// Returns the first input row of output row `y`. Returns the end of all input rows if there is
  /// no such output row.
  std::int64_t first_row(std::int64_t y) const {
    const std::vector<Filter::Pixel>& rows = vertical_.pixels;
    return y < std::ssize(rows) ? rows[static_cast<std::size_t>(y)].first : rows.back().past_last();
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
  const std::int64_t chunk_, chunk_stride_, strip_stride_;
  const Floats blended_;  // a strip of blended rows
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
