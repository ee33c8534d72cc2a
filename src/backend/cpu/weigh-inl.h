// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_WEIGH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_WEIGH_INL_H_
#undef NORMBENCH_WEIGH_INL_H_
#else
#define NORMBENCH_WEIGH_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

constexpr std::int64_t kTapsPerSum = 32;  // longer sums are split, because that is more exact

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

/// Stores N vectors. Vector n is the sum of `weights[tap]` * `at(tap, n)` over all taps, where `at`
/// returns an input vector.
template <int N, class At>
HWY_INLINE void weigh(const float* weights, std::int64_t taps, At at, float* out) {
  const F f;
  VF total[N];
  for (int n = 0; n < N; ++n) total[n] = hn::Zero(f);
  for (std::int64_t tap = 0; tap < taps;) {
    VF sum[N];
    for (int n = 0; n < N; ++n) sum[n] = hn::Zero(f);
    for (const std::int64_t end = std::min(taps, tap + kTapsPerSum); tap < end; ++tap) {
      const VF weight = hn::Set(f, weights[tap]);
      for (int n = 0; n < N; ++n) sum[n] = hn::MulAdd(at(tap, n), weight, sum[n]);
    }
    for (int n = 0; n < N; ++n) total[n] = hn::Add(total[n], sum[n]);
  }
  for (int n = 0; n < N; ++n) hn::StoreU(total[n], f, out + n * lanes());
}

/// Returns the first `elements` elements of `in` as floats, followed by zeros. `elements` must be
/// less than the number of lanes.
template <DType T>
HWY_INLINE VF load_rest(const Storage<T>* in, std::int64_t elements) {
  HWY_ALIGN Storage<T> rest[HWY_MAX_BYTES / sizeof(float)] = {};
  std::memcpy(rest, in, static_cast<std::size_t>(elements) * sizeof(*in));
  return load<T>(rest);
}

/// Stores the weighted sum of `taps` input rows of `elements` elements each. The rows are `stride`
/// elements apart.
template <DType T>
HWY_INLINE void blend(const Storage<T>* in, std::int64_t stride, const float* weights,
                      std::int64_t taps, std::int64_t elements, float* out) {
  constexpr int kMany = 8;
  const std::int64_t n = lanes();
  std::int64_t i = 0;
  for (; i + kMany * n <= elements; i += kMany * n)
    weigh<kMany>(
        weights, taps,
        [&](std::int64_t tap, int k) { return load<T>(in + tap * stride + i + k * n); }, out + i);
  for (; i + n <= elements; i += n)
    weigh<1>(
        weights, taps, [&](std::int64_t tap, int) { return load<T>(in + tap * stride + i); },
        out + i);
  if (i == elements) return;
  weigh<1>(
      weights, taps,
      [&](std::int64_t tap, int) { return load_rest<T>(in + tap * stride + i, elements - i); },
      out + i);
}

/// Does the work of spread() for N vectors of each row. `at(row, n)` returns vector n of an input
/// row.
template <int N, bool Before, bool After, class At>
HWY_INLINE void spread_vectors(const float* to_before, const float* to_after, std::int64_t rows,
                               At at, float* before, float* after) {
  const F f;
  VF ending[N], starting[N];
  for (int n = 0; n < N; ++n) {
    if constexpr (Before) ending[n] = hn::LoadU(f, before + n * lanes());
    starting[n] = hn::Zero(f);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const VF a = hn::Set(f, to_before[row]), b = hn::Set(f, to_after[row]);
    for (int n = 0; n < N; ++n) {
      const VF x = at(row, n);
      if constexpr (Before) ending[n] = hn::MulAdd(x, a, ending[n]);
      if constexpr (After) starting[n] = hn::MulAdd(x, b, starting[n]);
    }
  }
  for (int n = 0; n < N; ++n) {
    if constexpr (Before) hn::StoreU(ending[n], f, before + n * lanes());
    if constexpr (After) hn::StoreU(starting[n], f, after + n * lanes());
  }
}

/// Spreads `rows` input rows over the output rows `before` and `after`. Adds the sum of the input
/// rows, weighted by `to_before`, to `before`. Stores their sum, weighted by `to_after`, in
/// `after`. If Before or After is false, leaves out that output row. `elements` and `stride` are as
/// in blend().
template <DType T, bool Before, bool After>
HWY_INLINE void spread(const Storage<T>* in, std::int64_t stride, const float* to_before,
                       const float* to_after, std::int64_t rows, std::int64_t elements,
                       float* before, float* after) {
  constexpr int kMany = 4;
  const std::int64_t n = lanes();
  std::int64_t i = 0;
  for (; i + kMany * n <= elements; i += kMany * n)
    spread_vectors<kMany, Before, After>(
        to_before, to_after, rows,
        [&](std::int64_t row, int k) { return load<T>(in + row * stride + i + k * n); }, before + i,
        after + i);
  for (; i + n <= elements; i += n)
    spread_vectors<1, Before, After>(
        to_before, to_after, rows,
        [&](std::int64_t row, int) { return load<T>(in + row * stride + i); }, before + i,
        after + i);
  if (i == elements) return;
  spread_vectors<1, Before, After>(
      to_before, to_after, rows,
      [&](std::int64_t row, int) { return load_rest<T>(in + row * stride + i, elements - i); },
      before + i, after + i);
}

/// Stores a row of floats, rounded to the dtype.
template <DType T>
HWY_INLINE void store_row(const float* from, Storage<T>* to, std::int64_t elements) {
  const std::int64_t n = lanes();
  std::int64_t i = 0;
  for (; i + n <= elements; i += n) put_single<T, Stores::Normal>(hn::LoadU(F(), from + i), to + i);
  Identity identity;
  partial<DType::Float32, T>(from + i, to + i, elements - i, identity);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
