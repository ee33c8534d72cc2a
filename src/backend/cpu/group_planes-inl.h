// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_GROUP_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_GROUP_PLANES_INL_H_
#undef NORMBENCH_GROUP_PLANES_INL_H_
#else
#define NORMBENCH_GROUP_PLANES_INL_H_
#endif

#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/group_planes_simd.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

/// The number of rows of a group that are computed at the same time. It is lower in a backward
/// pass, where each row has two inputs, and sums that are not added to those of other rows.
template <Pass P>
constexpr int kRowsAtOnce = P == Pass::Forward ? 4 : 2;

// The distances in bytes at which data is prefetched. kAhead is for data in memory. It must exceed
// the bytes of a block of rows, so that the prefetched data belongs to the next block. kSoon is for
// data in the second-level cache: without a prefetch, a load from there waits while non-temporal
// stores occupy the core's fill buffers.
constexpr std::int64_t kAhead = 49152, kSoon = 512;

/// The number of elements in a line. A line is a cache line. With the scalar instruction set, which
/// needs separate instructions for each element, a line has only 4 elements.
template <DType T>
constexpr std::int64_t kLineElements = kScalar ? 4
                                               : 64 / static_cast<std::int64_t>(sizeof(Storage<T>));
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(F()));
template <DType T>
constexpr int kLineVectors = static_cast<int>(kLineElements<T> / kLanes);

template <DType T>
HWY_INLINE const Storage<T>* elements_at(const std::byte* p) {
  return reinterpret_cast<const Storage<T>*>(p);
}

/// Prefetches the cache line kAhead bytes after `p`. The asm keeps the compiler from moving and
/// grouping the prefetches of several rows.
HWY_INLINE void fetch_ahead(const std::byte* p) {
  asm volatile("" : "+r"(p));
  fetch_line(p + kAhead);
}

/// The same scale and shift for every element.
struct OneScale {
  HWY_INLINE VF scale(std::int64_t) const { return a; }
  HWY_INLINE VF shift(std::int64_t) const { return b; }
  VF a, b;
};

/// A scale and a shift for each element i, in tables that begin with element `base`.
struct ScaleTable {
  HWY_INLINE VF scale(std::int64_t i) const { return hn::LoadU(F(), a + (i - base)); }
  HWY_INLINE VF shift(std::int64_t i) const { return hn::LoadU(F(), b + (i - base)); }
  const float *a, *b;
  std::int64_t base;
};

/// Normalises a group in whole vectors. A line is a cache line of the output.
template <DType T, Pass P, Stores S>
class Normaliser {
 public:
  HWY_INLINE explicit Normaliser(const Normalised& group)
      : a_(elements_at<T>(group.in[0])),
        b_(elements_at<T>(group.in[1])),
        c_(elements_at<T>(group.in[2])),
        out_(reinterpret_cast<Storage<T>*>(group.out)),
        mean_(hn::Set(F(), group.mean)),
        slope_(hn::Set(F(), group.slope)),
        constant_(hn::Set(F(), group.constant)) {}

  /// Returns the number of elements before the first whole line of the output.
  HWY_INLINE std::int64_t head() const {
    const auto past = reinterpret_cast<std::uintptr_t>(out_) / sizeof(*out_);
    return static_cast<std::int64_t>(-past % static_cast<std::uintptr_t>(kLineElements<T>));
  }

  template <class Scale>
  HWY_INLINE void line(std::int64_t i, const Scale& scale) const {
    to<S>(i, scale, out_ + i);
  }

  HWY_INLINE void fetch(std::int64_t i) const {
    fetch_ahead(reinterpret_cast<const std::byte*>(a_ + i));
    if constexpr (P == Pass::Backward) {
      fetch_ahead(reinterpret_cast<const std::byte*>(b_ + i));
      if (c_) fetch_ahead(reinterpret_cast<const std::byte*>(c_ + i));
    }
  }

  /// Computes fewer elements than a line has, in a padded copy, with the same instructions as for a
  /// line.
  template <class Scale>
  HWY_INLINE void partial(std::int64_t i, std::int64_t count, const Scale& scale) const {
    HWY_ALIGN Storage<T> in[3][kLineElements<T>] = {};
    HWY_ALIGN Storage<T> out[kLineElements<T>];
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(*out);
    std::memcpy(in[0], a_ + i, bytes);
    if constexpr (P == Pass::Backward) std::memcpy(in[1], b_ + i, bytes);
    if (P == Pass::Backward && c_) std::memcpy(in[2], c_ + i, bytes);
    Normaliser copied = *this;
    copied.a_ = in[0] - i, copied.b_ = in[1] - i;
    if (c_) copied.c_ = in[2] - i;
    copied.template to<Stores::Normal>(i, scale, out);
    std::memcpy(out_ + i, out, bytes);
  }

 private:
  template <Stores To, class Scale>
  HWY_INLINE void to(std::int64_t i, const Scale& scale, Storage<T>* out) const {
    constexpr int step = vectors_per_block<T>();
    for (int v = 0; v < kLineVectors<T>; v += step) {
      const std::int64_t at = i + v * kLanes;
      if constexpr (step == 1) {
        put_single<T, To>(value(at, scale), out + v * kLanes);
      } else {
        put<To>(Whole16(), narrow<T>(value(at, scale), value(at + kLanes, scale)),
                out + v * kLanes);
      }
    }
  }

  template <class Scale>
  HWY_INLINE VF value(std::int64_t i, const Scale& scale) const {
    if constexpr (P == Pass::Forward)
      return hn::MulAdd(hn::Sub(load<T>(a_ + i), mean_), scale.scale(i), scale.shift(i));
    const VF of_x = hn::MulAdd(hn::Sub(load<T>(b_ + i), mean_), slope_, constant_);
    const VF v = hn::MulAdd(load<T>(a_ + i), scale.scale(i), of_x);
    return c_ ? hn::Add(load<T>(c_ + i), v) : v;
  }

  const Storage<T>*a_, *b_, *c_;
  Storage<T>* out_;
  VF mean_, slope_, constant_;
};

/// Computes two sums for each of several rows.
/// - Forward: the sums of x - centre and of (x - centre)^2.
/// - Backward: the sums of dy and of dy * (x - centre).
template <DType T, Pass P>
class Summer {
 public:
  HWY_INLINE explicit Summer(const Summed& group)
      : a_(elements_at<T>(group.in[0])),
        b_(elements_at<T>(group.in[1])),
        centre_(hn::Set(F(), group.centre)) {
    clear();
  }

  HWY_INLINE void clear() {
    for (int row = 0; row < kRowsAtOnce<P>; ++row) first_[row] = second_[row] = hn::Zero(F());
  }

  /// Sets and returns the centre from which a forward pass measures distances: the mean of 64
  /// elements, or the first element if there are fewer. The centre is near enough to the mean of
  /// all elements for precise squared distances: even if the 64 elements are outliers, it is at
  /// most sqrt(count / 64) standard deviations away from that mean.
  HWY_INLINE float centre(std::int64_t i, std::int64_t count) {
    constexpr std::int64_t sample = 64;
    centre_ = load_first(a_ + i, 1);
    float centre = hn::GetLane(centre_);
    if (count >= sample) {
      VF sum = hn::Zero(F());
      for (std::int64_t k = 0; k < sample; k += kLanes) sum = hn::Add(sum, load<T>(a_ + i + k));
      centre = total(sum) / static_cast<float>(sample);
    }
    centre_ = hn::Set(F(), centre);
    return centre;
  }

  HWY_INLINE void fetch(std::int64_t i) const {
    fetch_both(reinterpret_cast<const std::byte*>(a_ + i));
    if constexpr (P == Pass::Backward) fetch_both(reinterpret_cast<const std::byte*>(b_ + i));
  }

  template <int Row, int Vector = 0>
  HWY_INLINE void line(std::int64_t i) {
    const std::int64_t at = i + Vector * kLanes;
    if constexpr (P == Pass::Forward) {
      const VF distance = hn::Sub(load<T>(a_ + at), centre_);
      add<Row>(distance, distance);
    } else {
      add<Row>(load<T>(a_ + at), hn::Sub(load<T>(b_ + at), centre_));
    }
    if constexpr (Vector + 1 < kLineVectors<T>) line<Row, Vector + 1>(i);
  }

  /// Sums elements [begin, end): whole lines, then vectors, the last of which may be partial.
  template <int Row>
  HWY_INLINE void range(std::int64_t begin, std::int64_t end) {
    for (; begin + kLineElements<T> <= end; begin += kLineElements<T>) line<Row>(begin);
    for (; begin < end; begin += kLanes) few<Row>(begin, std::min(kLanes, end - begin));
  }

  HWY_INLINE float first(int row) const { return total(first_[row]); }
  HWY_INLINE float second(int row) const { return total(second_[row]); }

 private:
  static HWY_INLINE void fetch_both(const std::byte* p) {
    fetch_ahead(p);
    fetch_line_soon(p + kSoon);
  }
  static HWY_INLINE float total(VF v) { return hn::GetLane(hn::SumOfLanes(F(), v)); }

  template <int Row>
  HWY_INLINE void add(VF v, VF distance) {
    first_[Row] = hn::Add(first_[Row], v);
    second_[Row] = hn::MulAdd(v, distance, second_[Row]);
  }

  /// Loads `count` elements into the first lanes and sets the other lanes to 0. Does not read past
  /// the `count` elements.
  static HWY_INLINE VF load_first(const Storage<T>* p, std::int64_t count) {
    if (count == kLanes) return load<T>(p);
    HWY_ALIGN Storage<T> in[kLanes] = {};
    std::memcpy(in, p, static_cast<std::size_t>(count) * sizeof(*in));
    return load<T>(in);
  }

  template <int Row>
  HWY_INLINE void few(std::int64_t i, std::int64_t count) {
    const auto there = hn::FirstN(F(), static_cast<std::size_t>(count));
    const VF x = load_first(P == Pass::Forward ? a_ + i : b_ + i, count);
    const VF distance = hn::IfThenElseZero(there, hn::Sub(x, centre_));
    add<Row>(P == Pass::Forward ? distance : load_first(a_ + i, count), distance);
  }

  const Storage<T>*a_, *b_;
  VF centre_;
  VF first_[kRowsAtOnce<P>], second_[kRowsAtOnce<P>];
};

/// Computes one block of rows, kRowsAtOnce rows at a time. Rows that are computed together are as
/// far apart in memory as the block allows. If they were on one page, memory would idle at the end
/// of each page, where the hardware prefetchers stop.
template <DType T, Pass P, Stores S>
class Block {
 public:
  Block(const PlaneRows& rows, const Normalised* normalised, const Summed* summed)
      : rows_(rows), normalised_(normalised), summed_(summed) {
    if (!normalised) return;
    head_ = std::min(Normaliser<T, P, S>(*normalised).head(), rows.elements());
    lines_end_ = head_ + (rows.elements() - head_) / kLine * kLine;
  }

  template <bool Normalises, bool Sums>
  HWY_INLINE void run(std::int64_t begin, std::int64_t end) const {
    // The sums of this local `summer` stay in registers. In memory, they would wait behind
    // non-temporal stores.
    const Normaliser<T, P, S> normaliser(Normalises ? *normalised_ : Normalised());
    Summer<T, P> summer(Sums ? *summed_ : Summed());
    const std::int64_t start = rows_.start(begin), stop = rows_.start(end);
    float centre = 0;
    if constexpr (Sums && P == Pass::Forward) centre = summer.centre(start, stop - start);
    if (Normalises && begin == 0 && head_ > 0) edge(0, head_);
    constexpr int rows = kRowsAtOnce<P>;
    const std::int64_t apart = (end - begin) / rows;
    for (std::int64_t r = begin; r < begin + apart; ++r) {
      std::int64_t which[rows];
      for (int i = 0; i < rows; ++i) which[i] = r + i * apart;
      several<Normalises, Sums>(which, normaliser, summer);
    }
    for (std::int64_t r = begin + rows * apart; r < end; ++r) {
      const std::int64_t which[1] = {r};
      several<Normalises, Sums>(which, normaliser, summer);
    }
    if (Normalises && stop == rows_.elements() && lines_end_ < stop)
      edge(lines_end_, stop - lines_end_);
    if constexpr (Sums && P == Pass::Forward)
      *summed_->moments = moments(summer, centre, stop - start);
  }

 private:
  static constexpr std::int64_t kLine = kLineElements<T>;
  /// The number of floats in each array that table() fills: one for each element of a row of small
  /// planes, 64 more for a line that extends into the next row, and 64 more for the rest of the
  /// last plane.
  static constexpr std::int64_t kTable = PlaneRows::small_row + 64 + 64;

  static HWY_INLINE MomentSums moments(const Summer<T, P>& summer, float centre,
                                       std::int64_t elements) {
    const auto count = static_cast<double>(elements);
    double first = 0, second = 0;
    for (int row = 0; row < kRowsAtOnce<P>; ++row) {
      first += static_cast<double>(summer.first(row));
      second += static_cast<double>(summer.second(row));
    }
    return {.count = count,
            .mean = centre + first / count,
            // std::max() returns its first argument if that is NaN, so NaN is kept.
            .squares = std::max(second - first / count * first, 0.0)};
  }

  /// Returns the first element of the first line that starts at or after `element`. Returns
  /// `lines_end_` if there is no such line.
  HWY_INLINE std::int64_t line_from(std::int64_t element) const {
    if (element <= head_) return head_;
    return std::min(lines_end_, head_ + (element - head_ + kLine - 1) / kLine * kLine);
  }

  template <bool Normalises, bool Sums, int Rows>
  HWY_INLINE void several(const std::int64_t (&which)[Rows], const Normaliser<T, P, S>& normaliser,
                          Summer<T, P>& summer) const {
    if (rows_.has_small_planes())
      small_planes<Normalises, Sums>(which, normaliser, summer);
    else
      pieces<Normalises, Sums>(which, normaliser, summer);
  }

  template <bool Normalises, bool Sums, int Rows>
  HWY_INLINE void pieces(const std::int64_t (&which)[Rows], const Normaliser<T, P, S>& normaliser,
                         Summer<T, P>& summer) const {
    OneScale scale[Rows];
    // The lines in [from, plain) have elements of one plane only. If `plain` is less than `to`, the
    // line at `plain` also has elements of the next plane.
    std::int64_t from[Rows], plain[Rows], to[Rows];
    if constexpr (Normalises)
      for (int r = 0; r < Rows; ++r) {
        const std::int64_t plane = which[r] / rows_.pieces;
        scale[r] = {hn::Set(F(), normalised_->scale[plane]),
                    hn::Set(F(), P == Pass::Forward ? normalised_->shift[plane] : 0)};
        from[r] = line_from(rows_.start(which[r]));
        to[r] = line_from(rows_.start(which[r] + 1));
        plain[r] = to[r] > (plane + 1) * rows_.pixels ? to[r] - kLine : to[r];
      }
    if constexpr (Sums && P == Pass::Backward) summer.clear();
    side_by_side<Normalises, Sums>(which, from, plain, scale, normaliser, summer);
    if constexpr (Normalises)
      for (int r = 0; r < Rows; ++r)
        if (plain[r] < to[r]) crossing(plain[r]);
    if constexpr (Sums && P == Pass::Backward) {
      for (int r = 0; r < Rows; ++r) give(which[r], summer, r);
    }
  }

  HWY_INLINE void give(std::int64_t sum, const Summer<T, P>& summer, int row) const {
    summed_->first[sum] = summer.first(row);
    summed_->second[sum] = summer.second(row);
  }

  /// Computes rows of small planes. In a backward pass each plane has its own sums, and a plane may
  /// be shorter than a line. So the sums are taken plane by plane, before any line is normalised.
  template <bool Normalises, bool Sums, int Rows>
  HWY_INLINE void small_planes(const std::int64_t (&which)[Rows],
                               const Normaliser<T, P, S>& normaliser, Summer<T, P>& summer) const {
    HWY_ALIGN float tables[Rows][2][kTable];
    ScaleTable scale[Rows];
    std::int64_t from[Rows], to[Rows];
    for (int r = 0; r < Rows; ++r) {
      const std::int64_t start = rows_.start(which[r]), end = rows_.start(which[r] + 1);
      if constexpr (Normalises) {
        from[r] = line_from(start), to[r] = line_from(end);
        scale[r] = table(start / rows_.pixels, to[r], tables[r]);
      }
      if constexpr (Sums && P == Pass::Backward) sum_planes(start, end, summer);
    }
    constexpr bool sums_lines = Sums && P == Pass::Forward;
    if constexpr (Normalises || sums_lines)
      side_by_side<Normalises, sums_lines, Sums>(which, from, to, scale, normaliser, summer);
  }

  /// Returns the scale and shift of every element from the first element of `plane` up to `end`.
  HWY_INLINE ScaleTable table(std::int64_t plane, std::int64_t end,
                              float (&tables)[2][kTable]) const {
    const std::int64_t base = plane * rows_.pixels;
    const float* shift = P == Pass::Forward ? normalised_->shift : normalised_->scale;
    if (rows_.pixels == 1 && end <= rows_.planes)
      return {normalised_->scale + plane, shift + plane, base};
    const std::int64_t last = std::min(rows_.planes, (end + rows_.pixels - 1) / rows_.pixels);
    for (std::int64_t at = 0; plane < last; ++plane, at += rows_.pixels)
      for (std::int64_t i = 0; i < rows_.pixels; i += kLanes) {
        hn::StoreU(hn::Set(F(), normalised_->scale[plane]), F(), tables[0] + at + i);
        if constexpr (P == Pass::Forward)
          hn::StoreU(hn::Set(F(), shift[plane]), F(), tables[1] + at + i);
      }
    return {tables[0], tables[P == Pass::Forward ? 1 : 0], base};
  }

  HWY_INLINE void sum_planes(std::int64_t start, std::int64_t end, Summer<T, P>& summer) const {
    for (std::int64_t at = start; at < end; at += rows_.pixels) {
      summer.clear();
      summer.template range<0>(at, at + rows_.pixels);
      give(at / rows_.pixels, summer, 0);
    }
  }

  /// For each of several rows: elements [from, to) to normalise, in whole lines, and elements
  /// [start, end) to sum.
  template <int Rows>
  struct Ranges {
    std::int64_t from[Rows], to[Rows], start[Rows], end[Rows];
  };

  /// Normalises the whole lines [from, to) of several rows of one group, and sums the same rows of
  /// the next group. Prefetches the elements to sum if `FetchesSummed`, otherwise the elements to
  /// normalise.
  template <bool Normalises, bool Sums, bool FetchesSummed = Sums, int Rows, class Scale>
  HWY_INLINE void side_by_side(const std::int64_t (&which)[Rows], const std::int64_t (&from)[Rows],
                               const std::int64_t (&to)[Rows], const Scale (&scale)[Rows],
                               const Normaliser<T, P, S>& normaliser, Summer<T, P>& summer) const {
    Ranges<Rows> all;
    std::int64_t both = rows_.elements();
    for (int r = 0; r < Rows; ++r) {
      all.start[r] = rows_.start(which[r]), all.end[r] = rows_.start(which[r] + 1);
      all.from[r] = all.start[r];
      if constexpr (Normalises) all.from[r] = from[r], all.to[r] = to[r];
      if constexpr (Normalises) both = std::min(both, to[r] - from[r]);
      if constexpr (Sums) both = std::min(both, all.end[r] - all.start[r]);
    }
    both = std::max<std::int64_t>(0, both / kLine * kLine);
    for (std::int64_t i = 0; i < both; i += kLine)
      lines<Normalises, Sums, FetchesSummed>(all, i, scale, normaliser, summer);
    if constexpr (Normalises) normalise_rests<FetchesSummed>(all, both, scale, normaliser, summer);
    if constexpr (Sums) sum_rests<!Normalises && FetchesSummed>(all, both, summer);
  }

  template <bool FetchesSummed, int Rows>
  HWY_INLINE void fetch(const Ranges<Rows>& all, int row, std::int64_t i,
                        const Normaliser<T, P, S>& normaliser, const Summer<T, P>& summer) const {
    if constexpr (FetchesSummed)
      summer.fetch(all.start[row] + i);
    else
      normaliser.fetch(all.from[row] + i);
  }

  /// Processes a line of each row. This is a function, not a lambda, because the compiler might not
  /// inline a lambda. The sums would then be kept in memory instead of registers.
  template <bool Normalises, bool Sums, bool FetchesSummed, int Row = 0, int Rows, class Scale>
  HWY_INLINE void lines(const Ranges<Rows>& all, std::int64_t i, const Scale (&scale)[Rows],
                        const Normaliser<T, P, S>& normaliser, Summer<T, P>& summer) const {
    fetch<FetchesSummed>(all, Row, i, normaliser, summer);
    if constexpr (Normalises) normaliser.line(all.from[Row] + i, scale[Row]);
    if constexpr (Sums) summer.template line<Row>(all.start[Row] + i);
    // Without this fence, the compiler groups the prefetches of several rows. That was about a
    // seventh slower on Emerald Rapids.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if constexpr (Row + 1 < Rows)
      lines<Normalises, Sums, FetchesSummed, Row + 1>(all, i, scale, normaliser, summer);
  }

  /// Normalises each row from offset `done` on. The loop over the rows indexes a copy of the
  /// scales, so that the original ones can stay in registers.
  template <bool FetchesSummed, int Rows, class Scale>
  HWY_INLINE void normalise_rests(const Ranges<Rows>& all, std::int64_t done,
                                  const Scale (&scale)[Rows], const Normaliser<T, P, S>& normaliser,
                                  const Summer<T, P>& summer) const {
    Scale copied[Rows];
    for (int r = 0; r < Rows; ++r) copied[r] = scale[r];
    for (int r = 0; r < Rows; ++r) {
      for (std::int64_t i = done; all.start[r] + i < all.end[r]; i += kLine)
        fetch<FetchesSummed>(all, r, i, normaliser, summer);
      for (std::int64_t i = all.from[r] + done; i < all.to[r]; i += kLine)
        normaliser.line(i, copied[r]);
    }
  }

  template <bool Fetches, int Row = 0, int Rows>
  HWY_INLINE void sum_rests(const Ranges<Rows>& all, std::int64_t done,
                            Summer<T, P>& summer) const {
    const std::int64_t begin = all.start[Row] + done;
    if constexpr (Fetches)
      for (std::int64_t i = begin; i < all.end[Row]; i += kLine) summer.fetch(i);
    summer.template range<Row>(begin, all.end[Row]);
    if constexpr (Row + 1 < Rows) sum_rests<Fetches, Row + 1>(all, done, summer);
  }

  /// Returns the scale and shift of each element of a line, which may have elements of several
  /// planes.
  HWY_INLINE ScaleTable own_table(std::int64_t i, float (&tables)[2][kLine]) const {
    for (std::int64_t k = 0; k < kLine; ++k) {
      const std::int64_t plane = std::min(rows_.planes - 1, (i + k) / rows_.pixels);
      tables[0][k] = normalised_->scale[plane];
      tables[1][k] = P == Pass::Forward ? normalised_->shift[plane] : 0;
    }
    return {tables[0], tables[1], i};
  }

  HWY_NOINLINE void crossing(std::int64_t i) const {
    HWY_ALIGN float tables[2][kLine];
    Normaliser<T, P, S>(*normalised_).line(i, own_table(i, tables));
  }

  /// Normalises `count` elements in a cache line that the group shares with the group before or
  /// after it. Stores them through the cache.
  HWY_NOINLINE void edge(std::int64_t i, std::int64_t count) const {
    HWY_ALIGN float tables[2][kLine];
    Normaliser<T, P, S>(*normalised_).partial(i, count, own_table(i, tables));
  }

  const PlaneRows& rows_;
  const Normalised* const normalised_;
  const Summed* const summed_;
  std::int64_t head_ = 0, lines_end_ = 0;  // elements
};

/// Sums a block without normalising. The function stores no outputs, so that one instance serves
/// both kinds of stores.
template <DType T, Pass P>
HWY_NOINLINE void sum_block(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
                            const Summed* summed) {
  Block<T, P, Stores::Normal>(rows, nullptr, summed).template run<false, true>(begin, end);
}

template <DType T, Pass P, Stores S>
void block(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
           const Normalised* normalised, const Summed* summed) {
  if (!normalised) return sum_block<T, P>(rows, begin, end, summed);
  const Block<T, P, S> work(rows, normalised, summed);
  summed ? work.template run<true, true>(begin, end) : work.template run<true, false>(begin, end);
}

/// Returns the function of a pass for a float dtype.
template <DType T>
GroupFunction pick_block(Pass pass, Stores stores) {
  const bool forward = pass == Pass::Forward;
  if (stores == Stores::NonTemporal)
    return forward ? &block<T, Pass::Forward, kPastCache> : &block<T, Pass::Backward, kPastCache>;
  return forward ? &block<T, Pass::Forward, Stores::Normal>
                 : &block<T, Pass::Backward, Stores::Normal>;
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
