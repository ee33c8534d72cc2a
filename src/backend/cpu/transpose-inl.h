// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_TRANSPOSE_INL_H_
#undef NORMBENCH_TRANSPOSE_INL_H_
#else
#define NORMBENCH_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The number of columns that are transposed at once.
constexpr std::int64_t kQuad = HWY_TARGET == HWY_SCALAR ? 1 : 4;

/// Loads four columns of rows 0, 4, 8, ... until the vector is full. Each row fills one block of 16
/// bytes of the result. The scalar instruction set lacks operations that this function and
/// transpose_quad() use. They are templates, so that they are not compiled for that instruction
/// set.
template <class D>
HWY_INLINE hn::Vec<D> every_fourth_row(D d, const hn::TFromD<D>* in, std::int64_t stride) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return LoadU(d, in);
  } else {
    const hn::Half<D> half;
    constexpr std::int64_t rows = hn::MaxLanes(half);
    return Combine(d, every_fourth_row(half, in + rows * stride, stride),
                   every_fourth_row(half, in, stride));
  }
}

/// Transposes N rows of four columns to four rows of N columns. N is the number of lanes of `d`.
template <class D>
HWY_INLINE void transpose_quad(D d, const hn::TFromD<D>* in, std::int64_t in_stride,
                               hn::TFromD<D>* out, std::int64_t out_stride) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto row = [&](int r) { return every_fourth_row(d, in + r * in_stride, in_stride); };
  const auto a = row(0), b = row(1), c = row(2), e = row(3);
  const auto ab_low = BitCast(pairs, InterleaveLower(d, a, b));
  const auto ab_high = BitCast(pairs, InterleaveUpper(d, a, b));
  const auto ce_low = BitCast(pairs, InterleaveLower(d, c, e));
  const auto ce_high = BitCast(pairs, InterleaveUpper(d, c, e));
  StoreU(BitCast(d, InterleaveLower(pairs, ab_low, ce_low)), d, out);
  StoreU(BitCast(d, InterleaveUpper(pairs, ab_low, ce_low)), d, out + out_stride);
  StoreU(BitCast(d, InterleaveLower(pairs, ab_high, ce_high)), d, out + 2 * out_stride);
  StoreU(BitCast(d, InterleaveUpper(pairs, ab_high, ce_high)), d, out + 3 * out_stride);
}

/// Stores out[c * out_stride + r] = in[r * in_stride + c] for all rows and columns. Also reads and
/// writes beyond the last row, up to a multiple of the lanes, and beyond the last column, up to a
/// multiple of kQuad.
template <class T>
HWY_INLINE void transpose(const T* in, std::int64_t in_stride, std::int64_t rows,
                          std::int64_t columns, T* out, std::int64_t out_stride) {
  const hn::ScalableTag<T> d;
  for (std::int64_t r = 0; r < rows; r += static_cast<std::int64_t>(hn::Lanes(d)))
    for (std::int64_t c = 0; c < columns; c += kQuad) {
      const T* from = in + r * in_stride + c;
      T* to = out + c * out_stride + r;
      if constexpr (kQuad == 1) {
        *to = *from;
      } else {
        transpose_quad(d, from, in_stride, to, out_stride);
      }
    }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
