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

/// Stores N vectors. Vector n is the weighted sum over all taps of the input vectors that
/// `at(tap, n)` returns.
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
  HWY_ALIGN Storage<T> rest[HWY_MAX_BYTES / sizeof(float)] = {};
  const auto bytes = static_cast<std::size_t>(elements - i) * sizeof(*in);
  weigh<1>(
      weights, taps,
      [&](std::int64_t tap, int) {
        std::memcpy(rest, in + tap * stride + i, bytes);
        return load<T>(rest);
      },
      out + i);
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
