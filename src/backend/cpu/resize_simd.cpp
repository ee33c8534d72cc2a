#include "backend/cpu/resize_simd.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/resize_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/spread_bytes-inl.h"
#include "backend/cpu/transpose-inl.h"
#include "backend/cpu/weigh-inl.h"
#include "backend/cpu/weigh_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

constexpr std::int64_t kStrip = 4096;  // elements of an input row that are blended at once
constexpr std::int64_t kBlock = 256;   // elements of a blended row that are transposed at once
constexpr std::int64_t kChunk = 96;    // elements of an output row that are stored at once
/// The distance between blended rows, in 32-bit values, is a multiple of HWY_MAX_BYTES / 2 plus
/// this number. If the distance were a power of two, the elements of a column would compete for the
/// same lines of the cache.
constexpr std::int64_t kStripPadding = 16;

template <class T>
using Memory = hwy::AlignedFreeUniquePtr<T[]>;

template <class T>
Memory<T> zeros(std::int64_t count) {
  Memory<T> memory = hwy::AllocateAligned<T>(static_cast<std::size_t>(count));
  std::fill_n(memory.get(), count, T{});
  return memory;
}

/// How a plane is cut. A block of columns is transposed at once, a strip of blocks is blended at
/// once. Blocks are whole lines of the cache and begin at even pixels.
struct Cuts {
  std::int64_t block, strip;  // pixels of an input row
  std::int64_t chunk;         // elements of an output row that are stored at once

  explicit Cuts(std::int64_t group)
      : block(kLine * std::max<std::int64_t>(1, kBlock / kLine / group)),
        strip(block * std::max<std::int64_t>(1, kStrip / (block * group))),
        chunk(group * std::max<std::int64_t>(1, kChunk / group)) {}
};

/// Returns `elements`, rounded up to whole chunks of spread_bytes().
std::int64_t padded(std::int64_t elements) {
  return (elements + HWY_MAX_BYTES - 1) / HWY_MAX_BYTES * HWY_MAX_BYTES;
}

/// Output rows [begin, begin + count) of a plane.
struct OutputRows {
  std::int64_t begin, count;
  bool continued;  // true: the rows just before these were blended last
};

/// The two passes in float32, for any dtype and any filter.
template <DType T>
class FloatPasses {
 public:
  using Cell = float;
  using Result = float;
  static constexpr std::int64_t kPixels = 1;

  FloatPasses(const ResizePlanes& planes, const Filter& vertical, const Filter& horizontal,
              const Cuts& cuts)
      : vertical_(vertical),
        horizontal_(horizontal),
        group_(planes.group),
        in_stride_(planes.in_stride),
        stride_(padded(std::min(cuts.strip, planes.in_width) * group_) + kStripPadding),
        result_stride_(cuts.chunk + 2 * lanes()),
        blended_(zeros<float>(stride_ * lanes())),
        results_(zeros<float>(result_stride_ * lanes())) {}

  /// Blends a strip of input columns, from column `begin` of the plane `in` on.
  void blend_strip(const Storage<T>* in, std::int64_t begin, std::int64_t columns,
                   const OutputRows& rows) {
    in += begin;
    if (!vertical_.shares.empty()) return spread_strip(in, rows.begin, rows.count, columns);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const Filter::Pixel taps = vertical_.pixels[static_cast<std::size_t>(rows.begin + r)];
      blend<T>(in + taps.first * in_stride_, in_stride_, vertical_.weights.data() + taps.begin,
               taps.end - taps.begin, columns, blended_row(r));
    }
  }

  /// Transposes `columns` columns of `count` blended rows, from column `begin` of the strip on.
  void fill_cells(std::int64_t begin, std::int64_t count, std::int64_t columns, float* cells) {
    transpose(blended_.get() + begin, stride_, count, columns, cells, lanes());
  }

  /// Computes all channels of output pixels [begin, end) in all rows. `cells` begins with input
  /// pixel `start`.
  void weigh_pixels(std::int64_t begin, std::int64_t end, const float* cells, std::int64_t start,
                    float* out) const {
    for (std::int64_t x = begin; x < end; ++x, out += group_ * lanes())
      weigh_pixel(horizontal_.pixels[static_cast<std::size_t>(x)], cells, start, out);
  }

  /// Stores `elements` elements of each of `count` output rows, from `out` on. `columns` has one
  /// vector for each element.
  void store(const float* columns, std::int64_t count, std::int64_t elements, Storage<T>* out,
             std::int64_t out_row) const {
    transpose(columns, lanes(), elements, lanes(), results_.get(), result_stride_);
    for (std::int64_t r = 0; r < count; ++r)
      store_row<T>(results_.get() + r * result_stride_, out + r * out_row, elements);
  }

 private:
  float* blended_row(std::int64_t r) { return blended_.get() + r * stride_; }

  void weigh_pixel(Filter::Pixel taps, const float* cells, std::int64_t start, float* out) const {
    const float* weights = horizontal_.weights.data() + taps.begin;
    const std::int64_t n = lanes(), step = group_ * n, count = taps.end - taps.begin;
    const float* in = cells + (taps.first - start) * step;
    if (group_ == 3)
      return weigh<3>(
          weights, count,
          [&](std::int64_t tap, int c) { return hn::Load(F(), in + tap * step + c * n); }, out);
    for (std::int64_t c = 0; c < group_; ++c, in += n, out += n)
      weigh<1>(
          weights, count, [&](std::int64_t tap, int) { return hn::Load(F(), in + tap * step); },
          out);
  }

  /// Does what blend_strip() does, but converts each input row only once for the two output rows
  /// that it reaches.
  void spread_strip(const Storage<T>* in, std::int64_t y, std::int64_t count,
                    std::int64_t columns) {
    const auto spread_rows = [&]<bool Before, bool After>(std::int64_t r) {
      const std::int64_t begin = vertical_.first_of(y + r + 1), end = vertical_.first_of(y + r + 2);
      spread<T, Before, After>(in + begin * in_stride_, in_stride_,
                               vertical_.shares.before.data() + begin,
                               vertical_.shares.after.data() + begin, end - begin, columns,
                               blended_row(Before ? r : 0), blended_row(After ? r + 1 : 0));
    };
    spread_rows.template operator()<false, true>(-1);
    for (std::int64_t r = 0; r + 1 < count; ++r) spread_rows.template operator()<true, true>(r);
    spread_rows.template operator()<true, false>(count - 1);
  }

  const Filter &vertical_, &horizontal_;
  const std::int64_t group_, in_stride_, stride_, result_stride_;  // elements
  const Memory<float> blended_;                                    // a strip of blended rows
  const Memory<float> results_;                                    // a chunk of output rows
};

/// The two passes for bytes, in whole numbers and with exact weights (Filter::whole). Blended rows
/// have 16 bits. The horizontal pass multiplies two pixels at once. It is a template, so that the
/// scalar instruction set, which lacks the operations, does not compile it.
template <class D>
class BytePasses {
 public:
  using Cell = std::int32_t;
  using Result = std::int32_t;
  static constexpr std::int64_t kPixels = 2;

  BytePasses(const ResizePlanes& planes, const Filter& vertical, const Filter& horizontal,
             const Cuts& cuts)
      : vertical_(vertical),
        horizontal_(horizontal),
        group_(planes.group),
        in_stride_(planes.in_stride),
        stride_(padded(std::min(cuts.strip, planes.in_width) * group_) / 2 + kStripPadding),
        result_stride_(cuts.chunk / 4 + 2 * lanes()),
        blended_(zeros<std::int32_t>(stride_ * lanes())),
        sums_(zeros<std::int32_t>(padded(planes.in_width * group_))),
        rest_(zeros<std::uint8_t>(vertical.most_taps * kLine)),
        columns_(zeros<std::int32_t>((cuts.block / 2 * group_ + kLine) * lanes())),
        units_(zeros<float>(lanes())),
        middles_(zeros<float>(lanes())),
        packed_(zeros<std::int32_t>(result_stride_ * lanes())),
        results_(zeros<std::int32_t>(result_stride_ * lanes())) {}

  /// Blends a strip of input columns, from column `begin` of the plane `in` on.
  void blend_strip(const std::uint8_t* in, std::int64_t begin, std::int64_t columns,
                   const OutputRows& rows) {
    in += begin;
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const Narrowing narrowing = narrowing_of(rows.begin + r);
      units_[static_cast<std::size_t>(r)] = narrowing.unit;
      middles_[static_cast<std::size_t>(r)] = narrowing.middle();
    }
    if (!vertical_.whole.runs.empty()) return spread_strip(in, columns, rows, sums_.get() + begin);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const auto y = static_cast<std::size_t>(rows.begin + r);
      const Filter::Pixel& taps = vertical_.pixels[y];
      blend_bytes(D(), in + taps.first * in_stride_, in_stride_,
                  vertical_.whole.weights.data() + vertical_.whole.pixels[y].begin + taps.first % 2,
                  taps.end - taps.begin, columns, rest_.get(), narrowing_of(rows.begin + r),
                  blended_row(r));
    }
  }

  /// Transposes `columns` columns of `count` blended rows, from column `begin` of the strip on, to
  /// cells of two pixels.
  void fill_cells(std::int64_t begin, std::int64_t /*count*/, std::int64_t columns, Cell* cells) {
    const std::int64_t pairs = (columns / group_ + 1) / 2;
    Cell* const out = group_ == 1 ? cells : columns_.get();
    transpose_narrowed(D(), blended_.get() + begin / 2, stride_, (columns + 1) / 2, out);
    if (group_ == 3)
      pair_three_channels(D(), out, pairs, cells);
    else if (group_ > 1)
      pair_channels(D(), out, group_, pairs, cells);
  }

  /// Computes all channels of output pixels [begin, end) in all rows. `cells` begins with input
  /// pixel `start`.
  void weigh_pixels(std::int64_t begin, std::int64_t end, const Cell* cells, std::int64_t start,
                    Result* out) const {
    const WholeWeights& whole = horizontal_.whole;
    const hn::Repartition<float, D> floats;
    const Widening<D> widening{hn::Load(floats, units_.get()), hn::Load(floats, middles_.get())};
    const auto weigh_all = [&]<int N, int Pairs>() HWY_ATTR {
      HWY_NAMESPACE::weigh_pixels<N, Pairs>(D(), whole, begin, end, group_, cells, start / 2,
                                            widening, out);
    };
    const auto weigh = [&]<int Pairs>() HWY_ATTR {
      group_ == 3 ? weigh_all.template operator()<3, Pairs>()
                  : weigh_all.template operator()<1, Pairs>();
    };
    // In the common cases the compiler knows the number of pairs, so it needs no loop over them.
    switch (whole.pairs <= whole.pairs_per_sum ? whole.pairs : 0) {
      case 2:
        return weigh.template operator()<2>();
      case 3:
        return weigh.template operator()<3>();
      case 4:
        return weigh.template operator()<4>();
      case 5:
        return weigh.template operator()<5>();
      case 6:
        return weigh.template operator()<6>();
      case 7:
        return weigh.template operator()<7>();
      default:
        return weigh.template operator()<0>();
    }
  }

  /// Stores `elements` elements of each of `count` output rows, from `out` on. `columns` has one
  /// vector for each element.
  void store(const Result* columns, std::int64_t count, std::int64_t elements, std::uint8_t* out,
             std::int64_t out_row) const {
    pack_bytes(D(), columns, elements, packed_.get());
    transpose(packed_.get(), lanes(), (elements + 3) / 4, lanes(), results_.get(), result_stride_);
    for (std::int64_t r = 0; r < count; ++r)
      std::memcpy(out + r * out_row, results_.get() + r * result_stride_,
                  static_cast<std::size_t>(elements));
  }

 private:
  std::int16_t* blended_row(std::int64_t r) {
    return reinterpret_cast<std::int16_t*>(blended_.get() + r * stride_);
  }

  Narrowing narrowing_of(std::int64_t y) const {
    return vertical_.whole.pixels[static_cast<std::size_t>(y)].narrowing;
  }

  /// Does what blend_strip() does, but reads each input row only once for the two output rows that
  /// it reaches. `sums` has a sum for each column.
  void spread_strip(const std::uint8_t* in, std::int64_t columns, const OutputRows& rows,
                    std::int32_t* sums) {
    const auto spread_rows = [&]<bool Before, bool After>(std::int64_t r) {
      const std::int64_t before = rows.begin + r;
      spread_bytes<Before, After>(D(), {.in = in + vertical_.first_of(before + 1) * in_stride_,
                                        .stride = in_stride_,
                                        .elements = columns,
                                        .runs = vertical_.whole.runs_of(before + 1),
                                        .rest = rest_.get(),
                                        .to_before = narrowing_of(Before ? before : 0),
                                        .to_after = narrowing_of(After ? before + 1 : 0),
                                        .before = blended_row(Before ? r : 0),
                                        .sums = sums});
    };
    if (!rows.continued) spread_rows.template operator()<false, true>(-1);
    for (std::int64_t r = 0; r < rows.count; ++r)
      if (rows.begin + r + 1 < std::ssize(vertical_.pixels))
        spread_rows.template operator()<true, true>(r);
      else
        spread_rows.template operator()<true, false>(r);
  }

  const Filter &vertical_, &horizontal_;
  const std::int64_t group_, in_stride_;  // elements
  const std::int64_t stride_;             // pairs of elements
  const std::int64_t result_stride_;      // four elements
  const Memory<std::int32_t> blended_;    // a strip of blended rows
  const Memory<std::int32_t> sums_;       // of the output row that is begun
  const Memory<std::uint8_t> rest_;       // columns after the last whole line of input rows
  const Memory<std::int32_t> columns_;    // a block of the strip, transposed
  const Memory<float> units_, middles_;   // of the blended rows, see Narrowing
  const Memory<std::int32_t> packed_;     // a chunk of the output's columns, four in each vector
  const Memory<std::int32_t> results_;    // a chunk of output rows
};

/// Computes as many output rows at once as a vector has lanes. The vertical filter blends input
/// rows to these rows, strip by strip. A strip is long enough for sequential reads of memory, and
/// short enough for the blended rows to stay in the cache. They are transposed into a tile, block
/// by block. In the tile each vector holds one column, or two, so one load and one multiplication
/// compute a tap of the horizontal filter, or two, for all rows. The results are transposed back.
template <DType T, class Passes>
class Resizer {
 public:
  Resizer(const ResizePlanes& planes, const Filter& vertical, const Filter& horizontal)
      : planes_(planes),
        horizontal_(horizontal),
        out_row_(planes.out_width * planes.group),
        cuts_(planes.group),
        passes_(planes, vertical, horizontal, cuts_),
        tile_(zeros<Cell>(cells(cuts_.block + 2 * horizontal.most_taps + 4 * kPixels) +
                          kLine * lanes())),
        weighed_(zeros<Result>((cuts_.chunk + lanes()) * lanes())) {}

  void rows(std::int64_t begin, std::int64_t end) {
    bool continued = false;
    while (begin < end) {
      const std::int64_t plane = begin / planes_.out_height, y = begin % planes_.out_height;
      const std::int64_t count = std::min({lanes(), end - begin, planes_.out_height - y});
      rows_of_plane(plane, y, count, continued && y > 0);
      begin += count;
      continued = true;
    }
  }

 private:
  using Cell = typename Passes::Cell;
  using Result = typename Passes::Result;
  static constexpr std::int64_t kPixels = Passes::kPixels;

  /// Returns the number of elements of the tile that hold `pixels` pixels, rounded down to whole
  /// cells.
  std::int64_t cells(std::int64_t pixels) const {
    return pixels / kPixels * planes_.group * lanes();
  }

  /// Computes output rows [y, y + count) of a plane. `continued` has the meaning of
  /// OutputRows::continued.
  void rows_of_plane(std::int64_t plane, std::int64_t y, std::int64_t count, bool continued) {
    const auto* in = reinterpret_cast<const Storage<T>*>(planes_.in) + plane * planes_.in_plane;
    auto* out =
        reinterpret_cast<Storage<T>*>(planes_.out) + plane * planes_.out_plane + y * out_row_;
    const std::int64_t group = planes_.group;
    std::int64_t start = 0, filled = 0;  // the tile holds pixels [start, filled) of a row
    std::int64_t x = 0, stored = 0, ready = 0;
    while (x < planes_.out_width) {
      start = drop_before(pixel(x).first / kPixels * kPixels, start, filled);
      const std::int64_t left = planes_.in_width - filled, block = std::min(cuts_.block, left);
      if (filled % cuts_.strip == 0)
        passes_.blend_strip(in, filled * group, std::min(cuts_.strip, left) * group,
                            {.begin = y, .count = count, .continued = continued});
      passes_.fill_cells(filled % cuts_.strip * group, count, block * group,
                         tile_.get() + cells(filled - start));
      filled += block;
      while (x < planes_.out_width && pixel(x).past_last() <= filled) {
        const std::int64_t first = x, most = (cuts_.chunk - ready) / group;
        while (x < planes_.out_width && x - first < most && pixel(x).past_last() <= filled) ++x;
        passes_.weigh_pixels(first, x, tile_.get(), start, weighed_.get() + ready * lanes());
        ready += (x - first) * group;
        if (ready < cuts_.chunk && x < planes_.out_width) continue;
        passes_.store(weighed_.get(), count, ready, out + stored, out_row_);
        stored += ready;
        ready = 0;
      }
    }
  }

  const Filter::Pixel& pixel(std::int64_t x) const {
    return horizontal_.pixels[static_cast<std::size_t>(x)];
  }

  /// Drops the pixels before `keep` from the tile, and moves the others to the beginning of the
  /// tile. Returns the first pixel that the tile then holds.
  std::int64_t drop_before(std::int64_t keep, std::int64_t start, std::int64_t filled) {
    const std::int64_t from = std::min(keep, filled);
    std::copy(tile_.get() + cells(from - start), tile_.get() + cells(filled - start), tile_.get());
    return from;
  }

  const ResizePlanes& planes_;
  const Filter& horizontal_;
  const std::int64_t out_row_;  // elements
  const Cuts cuts_;
  Passes passes_;
  const Memory<Cell> tile_;       // columns of the input
  const Memory<Result> weighed_;  // a chunk of the output's columns, one vector each
};

template <DType T>
void resize(const ResizePlanes& planes, const Filter& vertical, const Filter& horizontal,
            std::int64_t begin, std::int64_t end) {
  if constexpr (kSumsBytes && T == DType::UInt8)
    if (!vertical.whole.empty() && !horizontal.whole.empty())
      return Resizer<T, BytePasses<Sums>>(planes, vertical, horizontal).rows(begin, end);
  Resizer<T, FloatPasses<T>>(planes, vertical, horizontal).rows(begin, end);
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
