// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_SPREAD_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_SPREAD_BYTES_INL_H_
#undef NORMBENCH_SPREAD_BYTES_INL_H_
#else
#define NORMBENCH_SPREAD_BYTES_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "backend/cpu/resize_simd.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The scalar instruction set has no operations that interleave bytes.
constexpr bool kSpreadsBytes = HWY_TARGET != HWY_SCALAR;

using Sums = hn::ScalableTag<std::int32_t>;

/// The columns that are summed at once: the bytes of a vector.
HWY_INLINE std::int64_t chunk_columns() { return 4 * static_cast<std::int64_t>(hn::Lanes(Sums())); }

/// Returns where the sums of column `c` are stored. spread_bytes() keeps four neighbouring columns
/// together. The four vectors of a chunk have the first, second, third and last four columns of
/// each 16.
HWY_INLINE std::int64_t place_of_column(std::int64_t c) {
  const std::int64_t chunk = c / chunk_columns() * chunk_columns(), four = (c - chunk) / 4;
  return chunk + four % 4 * (chunk_columns() / 4) + four / 4 * 4 + c % 4;
}

/// Sums of the bytes of a chunk of columns, weighted by whole numbers.
template <class D>
struct ByteSums {
  hn::Vec<D> sums[4];

  /// Adds two rows. `weights` has their two weights again and again. `pairs` has the bytes of both
  /// rows as 16-bit numbers, interleaved.
  template <class Pairs>
  HWY_INLINE void add(const Pairs (&pairs)[4], Pairs weights) {
    for (int i = 0; i < 4; ++i) {
      // Instruction sets other than those of x86 sum the odd columns separately.
      auto odd = hn::Zero(D());
      const auto even = ReorderWidenMulAccumulate(D(), pairs[i], weights, sums[i], odd);
      sums[i] = RearrangeToOddPlusEven(even, odd);
    }
  }
};

/// Returns two weights as one number, the first in its lower half.
HWY_INLINE std::int32_t two_weights(const std::int16_t* weights) {
  std::int32_t both;
  std::memcpy(&both, weights, sizeof(both));
  return both;
}

/// Spreads a chunk of columns of `rows` input rows. `at(row)` returns the bytes of an input row.
template <bool Before, bool After, class D, class At>
HWY_INLINE void spread_chunk(D d, const Filter& filter, std::int64_t first, std::int64_t rows,
                             At at, float* before, float* after) {
  const hn::Repartition<std::uint8_t, D> bytes;
  const hn::Repartition<std::int16_t, D> words;
  const hn::Repartition<float, D> floats;
  const auto zero = hn::Zero(bytes);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  ByteSums<D> ending, starting;
  for (int i = 0; i < 4; ++i) {
    if constexpr (Before) ending.sums[i] = BitCast(d, hn::LoadU(floats, before + i * lanes));
    starting.sums[i] = hn::Zero(d);
  }
  const auto add = [&](auto a, auto b, std::int32_t to_before, std::int32_t to_after) HWY_ATTR {
    const auto low = InterleaveLower(bytes, a, b), high = InterleaveUpper(bytes, a, b);
    const hn::Vec<decltype(words)> pairs[4] = {BitCast(words, InterleaveLower(bytes, low, zero)),
                                               BitCast(words, InterleaveUpper(bytes, low, zero)),
                                               BitCast(words, InterleaveLower(bytes, high, zero)),
                                               BitCast(words, InterleaveUpper(bytes, high, zero))};
    if constexpr (Before) ending.add(pairs, BitCast(words, hn::Set(d, to_before)));
    if constexpr (After) starting.add(pairs, BitCast(words, hn::Set(d, to_after)));
  };
  const std::int16_t* const to_before = filter.fixed.before.data() + first;
  const std::int16_t* const to_after = filter.fixed.after.data() + first;
  std::int64_t row = 0;
  for (; row + 2 <= rows; row += 2)
    add(at(row), at(row + 1), two_weights(to_before + row), two_weights(to_after + row));
  if (row < rows)
    add(at(row), zero, static_cast<std::uint16_t>(to_before[row]),
        static_cast<std::uint16_t>(to_after[row]));
  for (int i = 0; i < 4; ++i) {
    if constexpr (Before)
      hn::StoreU(hn::Mul(ConvertTo(floats, ending.sums[i]), hn::Set(floats, filter.unit)), floats,
                 before + i * lanes);
    if constexpr (After) hn::StoreU(BitCast(floats, starting.sums[i]), floats, after + i * lanes);
  }
}

/// Does what spread() does, for bytes and with weights that are whole numbers (Filter::fixed).
/// Until an output row is complete, it has sums of whole numbers, in the bits of its floats. The
/// columns of output rows lie as place_of_column() says, and they are padded to whole chunks. `in`
/// has `elements` of each input row from `first` on. `d` is Sums: with a template parameter, the
/// scalar instruction set does not compile it.
template <bool Before, bool After, class D>
HWY_INLINE void spread_bytes(D d, const std::uint8_t* in, std::int64_t stride, const Filter& filter,
                             std::int64_t first, std::int64_t rows, std::int64_t elements,
                             float* before, float* after) {
  const hn::Repartition<std::uint8_t, D> bytes;
  const std::int64_t chunk = chunk_columns();
  std::int64_t i = 0;
  for (; i + chunk <= elements; i += chunk)
    spread_chunk<Before, After>(
        d, filter, first, rows,
        [&](std::int64_t row) HWY_ATTR {
          hwy::Prefetch(in + (row + rows) * stride + i);  // of the rows that come next
          return hn::LoadU(bytes, in + row * stride + i);
        },
        before + i, after + i);
  if (i == elements) return;
  HWY_ALIGN std::uint8_t rest[HWY_MAX_BYTES] = {};
  spread_chunk<Before, After>(
      d, filter, first, rows,
      [&](std::int64_t row) HWY_ATTR {
        std::memcpy(rest, in + row * stride + i, static_cast<std::size_t>(elements - i));
        return hn::LoadU(bytes, rest);
      },
      before + i, after + i);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
