#include "backend/cpu/group_planes_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/group_planes_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

enum class Pass { Forward, Backward };

/// Bytes to what goes on into the first-level cache: loads from the second wait where non-temporal
/// stores fill the core's queue.
constexpr std::int64_t kSoon = 1024;

template <DType T>
constexpr std::int64_t kLineElements = 64 / static_cast<std::int64_t>(sizeof(Storage<T>));
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(F()));
template <DType T>
constexpr int kLineVectors = static_cast<int>(kLineElements<T> / kLanes);

template <DType T>
HWY_INLINE const Storage<T>* elements_at(const std::byte* p) {
  return reinterpret_cast<const Storage<T>*>(p);
}

/// Prefetches what is `apart` + `ahead` bytes from `p`, and makes `p` opaque: else the compiler
/// gathers the prefetches of several rows.
template <class Element>
HWY_INLINE void fetch_ahead(const Element*& p, std::int64_t apart, std::int64_t ahead) {
  const Element* here = p;
  asm volatile("" : "+r"(here));
  p = here;
  fetch_line(reinterpret_cast<const std::byte*>(p) + apart + ahead);
}

/// Bytes from one of a group's tensors to another: the same ones for all groups.
HWY_INLINE std::int64_t bytes_between(const void* from, const void* to) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) -
                                   reinterpret_cast<std::uintptr_t>(from));
}
template <class Element>
HWY_INLINE Element* at_distance(const Element* p, std::int64_t bytes) {
  return reinterpret_cast<Element*>(reinterpret_cast<std::uintptr_t>(p) +
                                    static_cast<std::uintptr_t>(bytes));
}

/// The same scale and shift for every element.
struct OneScale {
  HWY_INLINE VF scale(std::int64_t) const { return a; }
  HWY_INLINE VF shift(std::int64_t) const { return b; }
  VF a, b;
};

/// Those of two planes, of which the first has `count` elements.
struct TwoScales {
  HWY_INLINE VF scale(std::int64_t i) const { return either(i, first.a, second.a); }
  HWY_INLINE VF shift(std::int64_t i) const { return either(i, first.b, second.b); }
  HWY_INLINE VF either(std::int64_t i, VF a, VF b) const {
    const std::int64_t left = std::max<std::int64_t>(0, count - i);
    return hn::IfThenElse(hn::FirstN(F(), static_cast<std::size_t>(left)), a, b);
  }
  OneScale first, second;
  std::int64_t count;
};

/// Those of element i.
struct ScaleTable {
  HWY_INLINE VF scale(std::int64_t i) const { return hn::LoadU(F(), a + i); }
  HWY_INLINE VF shift(std::int64_t i) const { return hn::LoadU(F(), b + i); }
  const float *a, *b;
};

/// Bytes from an element of the first tensor that is normalised to that of the others: few
/// registers for many rows.
struct Others {
  HWY_INLINE explicit Others(const Normalised& group)
      : x(bytes_between(group.in[0], group.in[1])),
        old(bytes_between(group.in[0], group.in[2])),
        out(bytes_between(group.in[0], group.out)),
        has_old(group.in[2] != nullptr) {}
  std::int64_t x, old, out;
  bool has_old;
};

/// How a group's elements are normalised, in vectors.
template <DType T, Pass P, Stores S>
class Normaliser {
 public:
  HWY_INLINE Normaliser() : Normaliser(Normalised()) {}
  HWY_INLINE explicit Normaliser(const Normalised& group)
      : mean_(hn::Set(F(), group.mean)),
        slope_(hn::Set(F(), group.slope)),
        constant_(hn::Set(F(), group.constant)) {}

  /// A line of the output, for which the first tensor is at `a`, by scale and shift from `i` on.
  template <class Scale>
  HWY_INLINE void line(const Storage<T>* a, const Others& others, std::int64_t i,
                       const Scale& scale) const {
    to<S>(a, others, i, scale, at_distance(a, others.out));
  }

  /// Fewer elements than a line, through the same instructions.
  template <class Scale>
  HWY_INLINE void partial(const Storage<T>* a, const Others& others, std::int64_t count,
                          const Scale& scale) const {
    HWY_ALIGN Storage<T> in[3][kLineElements<T>] = {};
    HWY_ALIGN Storage<T> out[kLineElements<T>];
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(*out);
    std::memcpy(in[0], a, bytes);
    if constexpr (P == Pass::Backward) std::memcpy(in[1], at_distance(a, others.x), bytes);
    if (P == Pass::Backward && others.has_old)
      std::memcpy(in[2], at_distance(a, others.old), bytes);
    Others copied = others;
    copied.x = bytes_between(in[0], in[1]), copied.old = bytes_between(in[0], in[2]);
    to<Stores::Normal>(in[0], copied, 0, scale, out);
    std::memcpy(at_distance(a, others.out), out, bytes);
  }

 private:
  template <Stores To, class Scale>
  HWY_INLINE void to(const Storage<T>* a, const Others& others, std::int64_t i, const Scale& scale,
                     Storage<T>* out) const {
    constexpr int step = vectors_per_block<T>();
    for (std::int64_t at = 0; at < kLineElements<T>; at += step * kLanes) {
      const VF low = value(a + at, others, i + at, scale);
      if constexpr (step == 1) {
        put_single<T, To>(low, out + at);
      } else {
        const VF high = value(a + at + kLanes, others, i + at + kLanes, scale);
        put<To>(Whole16(), narrow<T>(low, high), out + at);
      }
    }
  }

  template <class Scale>
  HWY_INLINE VF value(const Storage<T>* a, const Others& others, std::int64_t i,
                      const Scale& scale) const {
    if constexpr (P == Pass::Forward)
      return hn::MulAdd(hn::Sub(load<T>(a), mean_), scale.scale(i), scale.shift(i));
    const VF distance = hn::Sub(load<T>(at_distance(a, others.x)), mean_);
    const VF v = hn::MulAdd(load<T>(a), scale.scale(i), hn::MulAdd(distance, slope_, constant_));
    return others.has_old ? hn::Add(load<T>(at_distance(a, others.old)), v) : v;
  }

  VF mean_, slope_, constant_;
};

/// What is worked on side by side: rows of one group, or the same row of several.
template <Pass P, int Groups, int Rows>
struct SideBySide {
  static_assert(Groups == 1 || Groups == Rows);
  static_assert(Rows <= 4, "loops over rows and groups are unrolled four times");
  static constexpr Pass kPass = P;
  static constexpr int kGroups = Groups, kRows = Rows;
  static constexpr int group_of(int row) { return Groups == 1 ? 0 : row; }
};

/// The two sums of some elements, for each of those that are summed side by side.
template <DType T, class Side>
class Summer {
  static constexpr bool kForward = Side::kPass == Pass::Forward;

 public:
  HWY_INLINE Summer() {
    clear();
    HWY_UNROLL(4)
    for (int row = 0; row < Side::kRows; ++row) all_first_[row] = all_second_[row] = hn::Zero(F());
  }

  HWY_INLINE void set(int group, const Summed& summed) {
    x_ = bytes_between(summed.in[0], summed.in[1]);
    centre_[group] = hn::Set(F(), summed.centre);
  }

  HWY_INLINE void clear() {
    HWY_UNROLL(4)
    for (int row = 0; row < Side::kRows; ++row) first_[row] = second_[row] = hn::Zero(F());
  }

  /// Forward: a centre so near the mean that squares of the distances from it lose little: the mean
  /// of 64 elements, which no outlier moves by more than sqrt(count / 64) standard deviations.
  HWY_INLINE float centre(int group, const Storage<T>* x, std::int64_t count) {
    constexpr std::int64_t sample = 64;
    float centre = hn::GetLane(load_first(x, 1));
    if (count >= sample) {
      VF sum = hn::Zero(F());
      for (std::int64_t k = 0; k < sample; k += kLanes) sum = hn::Add(sum, load<T>(x + k));
      centre = total(sum) / static_cast<float>(sample);
    }
    centre_[group] = hn::Set(F(), centre);
    return centre;
  }

  HWY_INLINE void fetch(const Storage<T>*& a, std::int64_t ahead) const {
    fetch_ahead(a, 0, ahead);
    fetch_line_soon(reinterpret_cast<const std::byte*>(a) + kSoon);
    if constexpr (!kForward) {
      fetch_ahead(a, x_, ahead);
      fetch_line_soon(reinterpret_cast<const std::byte*>(a) + x_ + kSoon);
    }
  }

  template <int Row, int Vector = 0>
  HWY_INLINE void line(const Storage<T>* a) {
    const VF v = load<T>(a + Vector * kLanes);
    if constexpr (kForward) {
      const VF distance = hn::Sub(v, centre_[Side::group_of(Row)]);
      add<Row>(distance, distance);
    } else {
      add<Row>(
          v, hn::Sub(load<T>(at_distance(a, x_) + Vector * kLanes), centre_[Side::group_of(Row)]));
    }
    if constexpr (Vector + 1 < kLineVectors<T>) line<Row, Vector + 1>(a);
  }

  /// Lines, whole vectors, and what is left.
  template <int Row>
  HWY_INLINE void range(const Storage<T>* a, std::int64_t elements) {
    const Storage<T>* const end = a + elements;
    for (; end - a >= kLineElements<T>; a += kLineElements<T>) line<Row>(a);
    for (; a < end; a += kLanes) few<Row>(a, std::min<std::int64_t>(kLanes, end - a));
  }

  /// Forward: sums of a row are added to those of the block, so that few roundings follow each
  /// other.
  HWY_INLINE void end_row() {
    HWY_UNROLL(4)
    for (int row = 0; row < Side::kRows; ++row) {
      all_first_[row] = hn::Add(all_first_[row], first_[row]);
      all_second_[row] = hn::Add(all_second_[row], second_[row]);
    }
    clear();
  }

  HWY_INLINE float first(int row) const { return total(first_[row]); }
  HWY_INLINE float second(int row) const { return total(second_[row]); }
  HWY_INLINE float all_first(int row) const { return total(all_first_[row]); }
  HWY_INLINE float all_second(int row) const { return total(all_second_[row]); }

 private:
  static HWY_INLINE float total(VF v) { return hn::GetLane(hn::SumOfLanes(F(), v)); }

  template <int Row>
  HWY_INLINE void add(VF v, VF distance) {
    first_[Row] = hn::Add(first_[Row], v);
    second_[Row] = hn::MulAdd(v, distance, second_[Row]);
  }

  /// The first rows; nothing behind them is read, zeros are there.
  static HWY_INLINE VF load_first(const Storage<T>* p, std::int64_t count) {
    if (count == kLanes) return load<T>(p);
    HWY_ALIGN Storage<T> in[kLanes] = {};
    std::memcpy(in, p, static_cast<std::size_t>(count) * sizeof(*in));
    return load<T>(in);
  }

  template <int Row>
  HWY_INLINE void few(const Storage<T>* a, std::int64_t count) {
    const auto there = hn::FirstN(F(), static_cast<std::size_t>(count));
    const VF x = load_first(kForward ? a : at_distance(a, x_), count);
    const VF distance = hn::IfThenElseZero(there, hn::Sub(x, centre_[Side::group_of(Row)]));
    add<Row>(kForward ? distance : load_first(a, count), distance);
  }

  std::int64_t x_ = 0;  // bytes from dy
  VF centre_[Side::kGroups];
  VF first_[Side::kRows], second_[Side::kRows];
  VF all_first_[Side::kRows], all_second_[Side::kRows];
};

/// One block of each group. Rows that are worked on side by side are as far apart as the block
/// allows: non-temporal stores to one page after the other, and loads likewise, would leave memory
/// idle.
template <DType T, Stores S, class Side>
class Block {
  static constexpr bool kForward = Side::kPass == Pass::Forward;
  using GroupNormaliser = Normaliser<T, Side::kPass, S>;
  using GroupSummer = Summer<T, Side>;
  using Normalisers = GroupNormaliser[Side::kGroups];

 public:
  Block(const PlaneRows& rows, std::span<const Normalised> normalised,
        std::span<const Summed> summed, std::int64_t ahead)
      : rows_(rows),
        ahead_(ahead),
        normalised_(normalised.data()),
        summed_(summed.data()),
        others_(normalised.empty() ? Normalised() : normalised[0]) {
    for (std::size_t g = 0; g < normalised.size(); ++g) {
      constexpr auto line = static_cast<std::uintptr_t>(kLine);
      const auto past = reinterpret_cast<std::uintptr_t>(normalised[g].out) / sizeof(Storage<T>);
      head_[g] = std::min(static_cast<std::int64_t>(-past % line), rows.elements());
      lines_end_[g] = head_[g] + (rows.elements() - head_[g]) / kLine * kLine;
    }
  }

  template <bool Normalises, bool Sums>
  HWY_INLINE void run(std::int64_t begin, std::int64_t end) const {
    // Sums stay in registers: stores of them would wait behind non-temporal ones. Arrays do where
    // each index is a constant, so loops over groups and rows are unrolled.
    Normalisers normalisers;
    GroupSummer summer;
    const std::int64_t start = rows_.start(begin), stop = rows_.start(end);
    float centres[Side::kGroups];
    HWY_UNROLL(4)
    for (int g = 0; g < Side::kGroups; ++g) {
      if constexpr (Normalises) normalisers[g] = GroupNormaliser(normalised_[g]);
      if constexpr (Sums) summer.set(g, summed_[g]);
      if constexpr (Sums && kForward)
        centres[g] = summer.centre(g, first_of(summed_[g]) + start, stop - start);
      if (Normalises && begin == 0 && head_[g] > 0) edge(g, 0, head_[g]);
    }
    constexpr int many = Side::kRows;
    constexpr bool one_group = Side::kGroups == 1;
    const std::int64_t apart = one_group ? (end - begin) / many : 0;
    const std::int64_t rounds = one_group ? apart : end - begin;
    for (std::int64_t r = begin; r < begin + rounds; ++r) {
      std::int64_t which[many];
      HWY_UNROLL(4)
      for (int row = 0; row < many; ++row) which[row] = r + row * apart;
      several<Normalises, Sums>(which, normalisers, summer);
    }
    if constexpr (one_group)
      for (std::int64_t r = begin + many * apart; r < end; ++r) {
        const std::int64_t which[1] = {r};
        several<Normalises, Sums>(which, normalisers, summer);
      }
    HWY_UNROLL(4)
    for (int g = 0; g < Side::kGroups; ++g) {
      if (Normalises && stop == rows_.elements() && lines_end_[g] < stop)
        edge(g, lines_end_[g], stop - lines_end_[g]);
      if constexpr (Sums && kForward)
        *summed_[g].moments = moments(summer, g, centres[g], stop - start);
    }
  }

 private:
  static constexpr std::int64_t kLine = kLineElements<T>;
  /// Elements of a row of small planes, with the line that goes on into the next row.
  static constexpr std::int64_t kTable = PlaneRows::small_row + 64 + 64;

  template <class Group>
  static HWY_INLINE const Storage<T>* first_of(const Group& group) {
    return elements_at<T>(group.in[0]);
  }

  static HWY_INLINE MomentSums moments(const GroupSummer& summer, int group, float centre,
                                       std::int64_t elements) {
    const auto count = static_cast<double>(elements);
    double first = 0, second = 0;
    HWY_UNROLL(4)
    for (int row = 0; row < Side::kRows; ++row) {
      if (Side::group_of(row) != group) continue;
      first += static_cast<double>(summer.all_first(row));
      second += static_cast<double>(summer.all_second(row));
    }
    return {.count = count,
            .mean = centre + first / count,
            .squares = std::max(second - first / count * first, 0.0)};  // NaN stays
  }

  static HWY_INLINE OneScale one_scale(const Normalised& group, std::int64_t plane) {
    return {hn::Set(F(), group.scale[plane]), hn::Set(F(), kForward ? group.shift[plane] : 0)};
  }

  /// A group's first line that starts at an element or behind it.
  HWY_INLINE std::int64_t line_from(int group, std::int64_t element) const {
    if (element <= head_[group]) return head_[group];
    return std::min(lines_end_[group],
                    head_[group] + (element - head_[group] + kLine - 1) / kLine * kLine);
  }

  template <bool Normalises, bool Sums, int Rows>
  HWY_INLINE void several(const std::int64_t (&which)[Rows], const Normalisers& normalisers,
                          GroupSummer& summer) const {
    if (rows_.has_small_planes())
      small_planes<Normalises, Sums>(which, normalisers, summer);
    else
      pieces<Normalises, Sums>(which, normalisers, summer);
    if constexpr (Sums && kForward) summer.end_row();
  }

  template <bool Normalises, bool Sums, int Rows>
  HWY_INLINE void pieces(const std::int64_t (&which)[Rows], const Normalisers& normalisers,
                         GroupSummer& summer) const {
    OneScale scale[Rows];
    std::int64_t from[Rows], plain[Rows], to[Rows];  // lines; `plain`: within the plane
    if constexpr (Normalises) {
      HWY_UNROLL(4)
      for (int row = 0; row < Rows; ++row) {
        const int g = Side::group_of(row);
        const std::int64_t plane = which[row] / rows_.pieces;
        scale[row] = one_scale(normalised_[g], plane);
        from[row] = line_from(g, rows_.start(which[row]));
        to[row] = line_from(g, rows_.start(which[row] + 1));
        plain[row] = to[row] > (plane + 1) * rows_.pixels ? to[row] - kLine : to[row];
      }
    }
    if constexpr (Sums && !kForward) summer.clear();
    side_by_side<Normalises, Sums>(which, from, plain, scale, normalisers, summer);
    HWY_UNROLL(4)
    for (int row = 0; row < Rows; ++row) {
      if (Normalises && plain[row] < to[row])
        crossing(Side::group_of(row), plain[row], normalisers);
      if constexpr (Sums && !kForward) give(which[row], summer, row);
    }
  }

  HWY_INLINE void give(std::int64_t sum, const GroupSummer& summer, int row) const {
    summed_->first[sum] = summer.first(row);
    summed_->second[sum] = summer.second(row);
  }

  /// Backward sums are those of each plane, shorter than the lines that are normalised: taken
  /// first.
  template <bool Normalises, bool Sums, int Rows>
  HWY_INLINE void small_planes(const std::int64_t (&which)[Rows], const Normalisers& normalisers,
                               GroupSummer& summer) const {
    HWY_ALIGN float tables[Rows][2][kTable];
    ScaleTable scale[Rows];
    std::int64_t from[Rows], to[Rows];
    HWY_UNROLL(4)
    for (int row = 0; row < Rows; ++row) {
      const std::int64_t start = rows_.start(which[row]), end = rows_.start(which[row] + 1);
      if constexpr (Normalises) {
        const int g = Side::group_of(row);
        from[row] = line_from(g, start), to[row] = line_from(g, end);
        scale[row] = table(normalised_[g], start / rows_.pixels, from[row], to[row], tables[row]);
      }
      if constexpr (Sums && !kForward) sum_planes(start, end, summer);
    }
    constexpr bool sums_lines = Sums && kForward;
    if constexpr (Normalises || sums_lines)
      side_by_side<Normalises, sums_lines, Sums>(which, from, to, scale, normalisers, summer);
  }

  /// Scale and shift of the elements [from, to) of planes from `plane` on.
  HWY_INLINE ScaleTable table(const Normalised& group, std::int64_t plane, std::int64_t from,
                              std::int64_t to, float (&tables)[2][kTable]) const {
    const float* shift = kForward ? group.shift : group.scale;
    if (from >= to) return {group.scale, shift};  // not used
    if (rows_.pixels == 1) return {group.scale + from, shift + from};
    const std::int64_t before = from - plane * rows_.pixels;
    const std::int64_t last = std::min(rows_.planes, (to + rows_.pixels - 1) / rows_.pixels);
    for (std::int64_t at = 0; plane < last; ++plane, at += rows_.pixels)
      for (std::int64_t i = 0; i < rows_.pixels; i += kLanes) {
        hn::StoreU(hn::Set(F(), group.scale[plane]), F(), tables[0] + at + i);
        if constexpr (kForward) hn::StoreU(hn::Set(F(), shift[plane]), F(), tables[1] + at + i);
      }
    return {tables[0] + before, tables[kForward ? 1 : 0] + before};
  }

  HWY_INLINE void sum_planes(std::int64_t start, std::int64_t end, GroupSummer& summer) const {
    for (std::int64_t at = start; at < end; at += rows_.pixels) {
      summer.clear();
      summer.template range<0>(first_of(*summed_) + at, rows_.pixels);
      give(at / rows_.pixels, summer, 0);
    }
  }

  /// Of rows that are worked on side by side: the next line to normalise and elements to sum, and
  /// how many elements are left of both.
  template <int Rows>
  struct Places {
    const Storage<T>*line[Rows], *summed[Rows];
    std::int64_t lines_left[Rows], summed_left[Rows];
  };

  /// Lines [from, to) of some rows are normalised, and elements of these rows summed.
  template <bool Normalises, bool Sums, bool FetchesSummed = Sums, int Rows, class Scale>
  HWY_INLINE void side_by_side(const std::int64_t (&which)[Rows], const std::int64_t (&from)[Rows],
                               const std::int64_t (&to)[Rows], const Scale (&scale)[Rows],
                               const Normalisers& normalisers, GroupSummer& summer) const {
    Places<Rows> places;
    std::int64_t both = rows_.elements();
    HWY_UNROLL(4)
    for (int row = 0; row < Rows; ++row) {
      const int g = Side::group_of(row);
      const std::int64_t start = rows_.start(which[row]);
      places.summed_left[row] = rows_.start(which[row] + 1) - start;
      if constexpr (FetchesSummed) places.summed[row] = first_of(summed_[g]) + start;
      if constexpr (Sums) both = std::min(both, places.summed_left[row]);
      if constexpr (!Normalises) continue;
      places.line[row] = first_of(normalised_[g]) + from[row];
      places.lines_left[row] = to[row] - from[row];
      both = std::min(both, places.lines_left[row]);
    }
    both = std::max<std::int64_t>(0, both / kLine * kLine);
    for (std::int64_t i = 0; i < both; i += kLine)
      lines<Normalises, Sums, FetchesSummed>(places, i, scale, normalisers, summer);
    rests<Normalises, Sums, FetchesSummed>(places, both, scale, normalisers, summer);
  }

  /// Fetches for what is summed, and where nothing is, for what is normalised.
  template <bool FetchesSummed>
  HWY_INLINE void fetch(const Storage<T>*& a, const GroupSummer& summer) const {
    if constexpr (FetchesSummed) return summer.fetch(a, ahead_);
    fetch_ahead(a, 0, ahead_);
    if constexpr (!kForward) {
      fetch_ahead(a, others_.x, ahead_);
      if (others_.has_old) fetch_ahead(a, others_.old, ahead_);
    }
  }

  /// A line of each row. No lambda, which the compiler may call: sums would go through memory.
  template <bool Normalises, bool Sums, bool FetchesSummed, int Row = 0, int Rows, class Scale>
  HWY_INLINE void lines(Places<Rows>& places, std::int64_t i, const Scale (&scale)[Rows],
                        const Normalisers& normalisers, GroupSummer& summer) const {
    fetch<FetchesSummed>(FetchesSummed ? places.summed[Row] : places.line[Row], summer);
    if constexpr (Normalises) {
      normalisers[Side::group_of(Row)].line(places.line[Row], others_, i, scale[Row]);
      places.line[Row] += kLine;
    }
    if constexpr (Sums) summer.template line<Row>(places.summed[Row]);
    if constexpr (FetchesSummed) places.summed[Row] += kLine;
    // Fetches gathered from several pages by the compiler cost a seventh on Emerald Rapids.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if constexpr (Row + 1 < Rows)
      lines<Normalises, Sums, FetchesSummed, Row + 1>(places, i, scale, normalisers, summer);
  }

  /// What is left of each row from element `done` on.
  template <bool Normalises, bool Sums, bool FetchesSummed, int Row = 0, int Rows, class Scale>
  HWY_INLINE void rests(const Places<Rows>& places, std::int64_t done, const Scale (&scale)[Rows],
                        const Normalisers& normalisers, GroupSummer& summer) const {
    const Storage<T>* fetched = FetchesSummed ? places.summed[Row] : places.line[Row];
    for (std::int64_t i = done; i < places.summed_left[Row]; i += kLine, fetched += kLine)
      fetch<FetchesSummed>(fetched, summer);
    if constexpr (Normalises)
      for (std::int64_t i = done; i < places.lines_left[Row]; i += kLine)
        normalisers[Side::group_of(Row)].line(places.line[Row] + (i - done), others_, i,
                                              scale[Row]);
    if constexpr (Sums)
      summer.template range<Row>(places.summed[Row], places.summed_left[Row] - done);
    if constexpr (Row + 1 < Rows)
      rests<Normalises, Sums, FetchesSummed, Row + 1>(places, done, scale, normalisers, summer);
  }

  /// Scale and shift of a line's elements, one by one.
  HWY_INLINE ScaleTable own_table(const Normalised& group, std::int64_t i,
                                  float (&tables)[2][kLine]) const {
    for (std::int64_t k = 0; k < kLine; ++k) {
      const std::int64_t plane = std::min(rows_.planes - 1, (i + k) / rows_.pixels);
      tables[0][k] = group.scale[plane];
      tables[1][k] = kForward ? group.shift[plane] : 0;
    }
    return {tables[0], tables[1]};
  }

  /// A line in which a plane ends and the next one begins.
  HWY_INLINE void crossing(int group, std::int64_t i, const Normalisers& normalisers) const {
    const Normalised& of = normalised_[group];
    const std::int64_t next = i / rows_.pixels + 1;
    const TwoScales scale{one_scale(of, next - 1), one_scale(of, next), next * rows_.pixels - i};
    normalisers[group].line(first_of(of) + i, others_, 0, scale);
  }

  /// Through the cache: what little of a line is this group's.
  HWY_NOINLINE void edge(int group, std::int64_t i, std::int64_t count) const {
    HWY_ALIGN float tables[2][kLine];
    const Normalised& of = normalised_[group];
    GroupNormaliser(of).partial(first_of(of) + i, others_, count, own_table(of, i, tables));
  }

  const PlaneRows& rows_;
  const std::int64_t ahead_;  // bytes
  const Normalised* const normalised_;
  const Summed* const summed_;
  const Others others_;
  std::int64_t head_[Side::kGroups] = {}, lines_end_[Side::kGroups] = {};  // elements
};

template <DType T, Stores S, class Side>
void block_of(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
              std::span<const Normalised> normalised, std::span<const Summed> summed,
              std::int64_t ahead) {
  const Block<T, S, Side> work(rows, normalised, summed, ahead);
  if (!normalised.empty() && !summed.empty())
    work.template run<true, true>(begin, end);
  else if (!normalised.empty())
    work.template run<true, false>(begin, end);
  else
    work.template run<false, true>(begin, end);
}

template <DType T, Pass P, Stores S>
void block(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
           std::span<const Normalised> normalised, std::span<const Summed> summed,
           std::int64_t ahead) {
  const auto run = [&]<int Groups, int Rows>() {
    block_of<T, S, SideBySide<P, Groups, Rows>>(rows, begin, end, normalised, summed, ahead);
  };
  if constexpr (P == Pass::Backward) {
    run.template operator()<1, kSideBySide / 2>();
  } else if (rows.groups_at_once == 1) {
    run.template operator()<1, kSideBySide>();
  } else if (std::max(normalised.size(), summed.size()) == 1) {
    run.template operator()<1, 1>();
  } else {
    run.template operator()<kSideBySide, kSideBySide>();
  }
}

template <Pass P>
GroupFunction pick_block(DType dtype, Stores stores) {
  return for_floats<GroupFunction>(
      dtype, stores, []<DType T, Stores S>() -> GroupFunction { return &block<T, P, S>; });
}

GroupFunction pick_forward(DType dtype, Stores stores) {
  return pick_block<Pass::Forward>(dtype, stores);
}
GroupFunction pick_backward(DType dtype, Stores stores) {
  return pick_block<Pass::Backward>(dtype, stores);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_forward);
HWY_EXPORT(pick_backward);

GroupFunction forward_function(DType dtype, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_forward)(dtype, stores);
}
GroupFunction backward_function(DType dtype, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_backward)(dtype, stores);
}

}  // namespace normbench
#endif
