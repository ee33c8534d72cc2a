#include "backend/cpu/group_columns_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/group_columns_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

constexpr auto kColumnLanes = static_cast<std::int64_t>(hn::MaxLanes(F()));

template <DType T>
HWY_INLINE const Storage<T>* row_of(const std::byte* p, std::int64_t element) {
  return reinterpret_cast<const Storage<T>*>(p) + element;
}

/// Sums `Vectors` neighbouring vectors of columns over all rows, and adds the sums to `first` and
/// `second`. If `Whole` is false, there is a single vector, and only its first `count` elements are
/// read.
template <DType T, bool Forward, int Vectors, bool Whole = true>
HWY_INLINE void add_columns(const ColumnRows& m, std::int64_t column, std::int64_t count,
                            const float* centre, double* first, double* second) {
  VF firsts[Vectors], seconds[Vectors], centres[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    firsts[v] = seconds[v] = hn::Zero(F());
    centres[v] = hn::LoadU(F(), centre + column + v * kColumnLanes);
  }
  const auto value = [&](const Storage<T>* p) HWY_ATTR {
    if constexpr (Whole) return load<T>(p);
    HWY_ALIGN Storage<T> few[kColumnLanes] = {};
    std::memcpy(few, p, static_cast<std::size_t>(count) * sizeof(*p));
    return load<T>(few);
  };
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const std::int64_t at = r * m.stride + column;
    const Storage<T>* a = row_of<T>(m.in[0], at);
    const Storage<T>* x = Forward ? a : row_of<T>(m.in[1], at);
    // Prefetches the next block of rows: the same columns, `m.rows` rows further on.
    constexpr auto bytes = static_cast<std::int64_t>(Vectors * kColumnLanes * sizeof(*a));
    fetch_lines(a + m.rows * m.stride, bytes);
    if constexpr (!Forward) fetch_lines(x + m.rows * m.stride, bytes);
    for (int v = 0; v < Vectors; ++v) {
      const VF distance = hn::Sub(value(x + v * kColumnLanes), centres[v]);
      const VF summed = Forward ? distance : value(a + v * kColumnLanes);
      firsts[v] = hn::Add(firsts[v], summed);
      seconds[v] = hn::MulAdd(summed, distance, seconds[v]);
    }
  }
  HWY_ALIGN float sums[2][kColumnLanes];
  for (int v = 0; v < Vectors; ++v) {
    hn::Store(firsts[v], F(), sums[0]);
    hn::Store(seconds[v], F(), sums[1]);
    const std::int64_t at = column + v * kColumnLanes;
    for (std::int64_t i = 0; i < (Whole ? kColumnLanes : count); ++i) {
      first[at + i] += static_cast<double>(sums[0][i]);
      second[at + i] += static_cast<double>(sums[1][i]);
    }
  }
}

template <DType T, bool Forward>
void sum_columns(const ColumnRows& m, const float* centre, double* first, double* second) {
  constexpr int many = 4;
  std::int64_t c = 0;
  for (; c + many * kColumnLanes <= m.columns; c += many * kColumnLanes)
    add_columns<T, Forward, many>(m, c, kColumnLanes, centre, first, second);
  for (; c + kColumnLanes <= m.columns; c += kColumnLanes)
    add_columns<T, Forward, 1>(m, c, kColumnLanes, centre, first, second);
  if (c < m.columns) add_columns<T, Forward, 1, false>(m, c, m.columns - c, centre, first, second);
}

/// Returns a vector of outputs for the columns from `column` on.
template <DType T, bool Forward>
HWY_INLINE VF mapped(const Storage<T>* a, const Storage<T>* x, const Storage<T>* old,
                     const ColumnTables& tables, std::int64_t column) {
  const F f;
  const VF distance = hn::Sub(load<T>(x), hn::LoadU(f, tables.mean + column));
  const VF scale = hn::LoadU(f, tables.scale + column);
  const VF shift = hn::LoadU(f, tables.shift + column);
  if constexpr (Forward) return hn::MulAdd(distance, scale, shift);
  const VF of_x = hn::MulAdd(distance, hn::LoadU(f, tables.slope + column), shift);
  const VF v = hn::MulAdd(load<T>(a), scale, of_x);
  return old ? hn::Add(load<T>(old), v) : v;
}

/// Computes and stores one block of outputs: as many vectors as fill one vector of dtype `T`.
template <DType T, bool Forward, Stores S>
HWY_INLINE void map_block(const Storage<T>* a, const Storage<T>* x, const Storage<T>* old,
                          const ColumnTables& tables, std::int64_t column, Storage<T>* out) {
  const VF low = mapped<T, Forward>(a, x, old, tables, column);
  if constexpr (vectors_per_block<T>() == 1) {
    put_single<T, S>(low, out);
  } else {
    const std::int64_t n = kColumnLanes;
    const VF high = mapped<T, Forward>(a + n, x + n, old ? old + n : nullptr, tables, column + n);
    put<S>(Whole16(), narrow<T>(low, high), out);
  }
}

template <DType T, bool Forward, Stores S>
HWY_INLINE void map_rows(const ColumnRows& m, const ColumnTables& tables) {
  constexpr std::int64_t step = vectors_per_block<T>() * kColumnLanes;
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const Storage<T>* a = row_of<T>(m.in[0], r * m.stride);
    const Storage<T>* x = Forward ? a : row_of<T>(m.in[1], r * m.stride);
    const Storage<T>* old = m.in[2] ? row_of<T>(m.in[2], r * m.stride) : nullptr;
    Storage<T>* out = reinterpret_cast<Storage<T>*>(m.out) + r * m.stride;
    std::int64_t c = 0;
    for (; c + step <= m.columns; c += step)
      map_block<T, Forward, S>(a + c, x + c, old ? old + c : nullptr, tables, c, out + c);
    if (c == m.columns) continue;
    HWY_ALIGN Storage<T> few[3][step] = {};
    HWY_ALIGN Storage<T> to[step];
    const auto bytes = static_cast<std::size_t>(m.columns - c) * sizeof(*out);
    std::memcpy(few[0], a + c, bytes);
    std::memcpy(few[1], x + c, bytes);
    if (old) std::memcpy(few[2], old + c, bytes);
    map_block<T, Forward, Stores::Normal>(few[0], few[1], old ? few[2] : nullptr, tables, c, to);
    std::memcpy(out + c, to, bytes);
  }
}

template <DType T, bool Forward>
void map_columns(const ColumnRows& m, const ColumnTables& tables, Stores stores) {
  if (stores == Stores::NonTemporal)
    map_rows<T, Forward, kPastCache>(m, tables);
  else
    map_rows<T, Forward, Stores::Normal>(m, tables);
}

template <bool Forward>
ColumnFunctions pick_columns(DType dtype) {
  return with_fixed(dtype, [=]<DType T>(Fixed<T>) -> ColumnFunctions {
    if constexpr (is_float(T))
      return {&sum_columns<T, Forward>, &map_columns<T, Forward>};
    else
      return {};
  });
}

ColumnFunctions pick_forward_columns(DType dtype) { return pick_columns<true>(dtype); }
ColumnFunctions pick_backward_columns(DType dtype) { return pick_columns<false>(dtype); }

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_forward_columns);
HWY_EXPORT(pick_backward_columns);

ColumnFunctions forward_columns(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(pick_forward_columns)(dtype);
}
ColumnFunctions backward_columns(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(pick_backward_columns)(dtype);
}

}  // namespace normbench
#endif
