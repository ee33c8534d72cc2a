// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_SPREAD_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_SPREAD_BYTES_INL_H_
#undef NORMBENCH_SPREAD_BYTES_INL_H_
#else
#define NORMBENCH_SPREAD_BYTES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "backend/cpu/resize_filter.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The scalar instruction set has no operations that interleave bytes.
constexpr bool kSumsBytes = HWY_TARGET != HWY_SCALAR;

using Sums = hn::ScalableTag<std::int32_t>;

/// The columns that are summed at once: the bytes of a vector.
HWY_INLINE std::int64_t chunk_columns() { return 4 * static_cast<std::int64_t>(hn::Lanes(Sums())); }

/// Returns a vector that repeats two weights, numbers of 16 bits that lie side by side.
template <class D>
HWY_INLINE hn::Vec<hn::Repartition<std::int16_t, D>> two_weights(D d, const void* weights) {
  std::int32_t both;
  std::memcpy(&both, weights, sizeof(both));
  return BitCast(hn::Repartition<std::int16_t, D>(), hn::Set(d, both));
}

/// Adds to each 32-bit sum the products of two neighbouring 16-bit numbers and their weights.
template <class D, class Words>
HWY_INLINE hn::Vec<D> add_products(D d, hn::Vec<D> sums, Words a, Words weights) {
  // Instruction sets other than those of x86 sum the odd products separately.
  auto odd = hn::Zero(d);
  const auto even = ReorderWidenMulAccumulate(d, a, weights, sums, odd);
  return RearrangeToOddPlusEven(even, odd);
}

/// Narrows and stores a chunk of columns. `sums` has four vectors of sums plus Narrowing::bias().
/// They have the columns 0 to 3, 4 to 7, 8 to 11 and 12 to 15 of each 16. So the first half of the
/// stored chunk has the columns 0 to 7 of each 16, and the second half has the columns 8 to 15.
template <class D>
HWY_INLINE void store_narrowed(D, const hn::Vec<D> (&sums)[4], int shift, std::int16_t* out) {
  const hn::Repartition<std::int16_t, D> words;
  for (int i = 0; i < 2; ++i)
    StoreU(ReorderDemote2To(words, ShiftRightSame(sums[2 * i], shift),
                            ShiftRightSame(sums[2 * i + 1], shift)),
           words, out + i * static_cast<std::int64_t>(hn::Lanes(words)));
}

constexpr std::int64_t kLine = 64;  // bytes of a line of the cache
static_assert(HWY_MAX_BYTES <= kLine);

/// A place in an input row.
struct RowPlace {
  const std::uint8_t* at;
  std::int64_t stride;  // from one row to the next
  std::int64_t ahead;   // from a row that is read to the row that is prefetched with it
};

/// Spreads a chunk of columns of the input rows in `runs`, from `in` on. With Fetch, also
/// prefetches, for each row, a line of the row at distance `in.ahead` into the second-level cache.
/// If Rows is not 0, there is a single run, and Rows is its number of rows.
template <bool Before, bool After, bool Fetch, int Rows, class D>
HWY_INLINE void spread_chunk(D d, std::span<const EvenRun> runs, RowPlace in, Narrowing to_before,
                             Narrowing to_after, std::int16_t* before, std::int32_t* sums) {
  const hn::Repartition<std::uint8_t, D> bytes;
  const hn::Repartition<std::int16_t, D> words;
  const auto zero = hn::Zero(bytes);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<D> ending[4], starting[4];
  for (int i = 0; i < 4; ++i) {
    if constexpr (Before) ending[i] = hn::LoadU(d, sums + i * lanes);
    if constexpr (After) starting[i] = hn::Set(d, to_after.bias());
  }
  const auto next = [&]() HWY_ATTR {
    // The first-level cache has no room for rows that are used so much later.
    if constexpr (Fetch) __builtin_prefetch(in.at + in.ahead, 0, 2);
    const auto row = hn::LoadU(bytes, in.at);
    in.at += in.stride;
    return row;
  };
  const auto spread_run = [&](const EvenRun& run, std::int64_t rows) HWY_ATTR {
    const auto first = next();
    // Adding up the sums so far multiplies each row by its number.
    auto low = BitCast(words, InterleaveLower(bytes, first, zero)), low_ramp = low;
    auto high = BitCast(words, InterleaveUpper(bytes, first, zero)), high_ramp = high;
    for (std::int64_t row = 1; row < rows; ++row) {
      const auto other = next();
      low = hn::Add(low, BitCast(words, InterleaveLower(bytes, other, zero)));
      high = hn::Add(high, BitCast(words, InterleaveUpper(bytes, other, zero)));
      low_ramp = hn::Add(low_ramp, low);
      high_ramp = hn::Add(high_ramp, high);
    }
    const hn::Vec<decltype(words)> both[4] = {
        InterleaveLower(words, low, low_ramp), InterleaveUpper(words, low, low_ramp),
        InterleaveLower(words, high, high_ramp), InterleaveUpper(words, high, high_ramp)};
    const auto weights_before = two_weights(d, &run.before);
    const auto weights_after = two_weights(d, &run.after);
    for (int i = 0; i < 4; ++i) {
      if constexpr (Before) ending[i] = add_products(d, ending[i], both[i], weights_before);
      if constexpr (After) starting[i] = add_products(d, starting[i], both[i], weights_after);
    }
  };
  if constexpr (Rows > 0) {
    spread_run(runs[0], Rows);
  } else {
    for (const EvenRun& run : runs) spread_run(run, run.pixels);
  }
  if constexpr (Before) store_narrowed(d, ending, to_before.shift, before);
  if constexpr (After)
    for (int i = 0; i < 4; ++i) hn::StoreU(starting[i], d, sums + i * lanes);
}

/// Calls `chunk<Fetch>(place, i)` for each chunk of columns, where `i` is the chunk's first column.
/// `in` has `rows` input rows with `elements` elements each. `rest` has a line for each row.
template <class Chunk>
HWY_INLINE void for_chunks(const std::uint8_t* in, std::int64_t stride, std::int64_t rows,
                           std::int64_t elements, std::uint8_t* rest, Chunk chunk) {
  std::int64_t i = 0;
  for (; i + kLine <= elements; i += kLine) {
    chunk.template operator()<true>({in + i, stride, rows * stride}, i);
    for (std::int64_t k = chunk_columns(); k < kLine; k += chunk_columns())
      chunk.template operator()<false>({in + i + k, stride, 0}, i + k);
  }
  if (i == elements) return;
  for (std::int64_t row = 0; row < rows; ++row)
    std::memcpy(rest + row * kLine, in + row * stride + i, static_cast<std::size_t>(elements - i));
  for (std::int64_t k = 0; i + k < elements; k += chunk_columns())
    chunk.template operator()<false>({rest + k, kLine, 0}, i + k);
}

/// The work of a call of spread_bytes(). `rest` has a line of the cache for each input row.
struct Spreading {
  const std::uint8_t* in;  // the first of the input rows
  std::int64_t stride, elements;
  std::span<const EvenRun> runs;
  std::uint8_t* rest;
  Narrowing to_before, to_after;
  std::int16_t* before;  // columns lie as store_narrowed() leaves them; padded to whole chunks
  std::int32_t* sums;    // padded to whole chunks
};

template <bool Before, bool After, int Rows, class D>
HWY_INLINE void spread_rows(D d, Spreading s, std::int64_t rows) {
  for_chunks(s.in, s.stride, rows, s.elements, s.rest,
             [&]<bool Fetch>(RowPlace place, std::int64_t i) HWY_ATTR {
               spread_chunk<Before, After, Fetch, Rows>(d, s.runs, place, s.to_before, s.to_after,
                                                        s.before + i, s.sums + i);
             });
}

/// Spreads the input rows in `s.runs` over two output rows. For the first output row, stores
/// `s.sums` plus the weighted sum of the input rows, narrowed, in `s.before`. For the second one,
/// stores the weighted sum in `s.sums`. If Before is false, leaves out the first output row. If
/// After is false, leaves out the second one. `d` is Sums: with a template parameter, the scalar
/// instruction set does not compile it.
template <bool Before, bool After, class D>
HWY_INLINE void spread_bytes(D d, const Spreading& s) {
  std::int64_t rows = 0;
  for (const EvenRun& run : s.runs) rows += run.pixels;
  // In the common cases the compiler knows the number of rows, so it needs no loop over them.
  if constexpr (Before && After) switch (s.runs.size() == 1 ? rows : 0) {
      case 1:
        return spread_rows<Before, After, 1>(d, s, rows);
      case 2:
        return spread_rows<Before, After, 2>(d, s, rows);
      case 3:
        return spread_rows<Before, After, 3>(d, s, rows);
      case 4:
        return spread_rows<Before, After, 4>(d, s, rows);
      case 5:
        return spread_rows<Before, After, 5>(d, s, rows);
      case 6:
        return spread_rows<Before, After, 6>(d, s, rows);
    }
  spread_rows<Before, After, 0>(d, s, rows);
}

/// Stores the sum of `taps` input rows, weighted by `weights`, in `out`, narrowed. The other
/// parameters are as in Spreading.
template <class D>
HWY_INLINE void blend_bytes(D d, const std::uint8_t* in, std::int64_t stride,
                            const std::int16_t* weights, std::int64_t taps, std::int64_t elements,
                            std::uint8_t* rest, Narrowing narrowing, std::int16_t* out) {
  const hn::Repartition<std::uint8_t, D> bytes;
  const hn::Repartition<std::int16_t, D> words;
  const auto zero = hn::Zero(bytes);
  for_chunks(in, stride, taps, elements, rest, [&]<bool>(RowPlace place, std::int64_t i) HWY_ATTR {
    hn::Vec<D> sums[4];
    for (int k = 0; k < 4; ++k) sums[k] = hn::Set(d, narrowing.bias());
    const auto add = [&](auto a, auto b, auto two) HWY_ATTR {
      const auto low = InterleaveLower(bytes, a, b), high = InterleaveUpper(bytes, a, b);
      const hn::Vec<decltype(words)> pairs[4] = {
          BitCast(words, InterleaveLower(bytes, low, zero)),
          BitCast(words, InterleaveUpper(bytes, low, zero)),
          BitCast(words, InterleaveLower(bytes, high, zero)),
          BitCast(words, InterleaveUpper(bytes, high, zero))};
      for (int k = 0; k < 4; ++k) sums[k] = add_products(d, sums[k], pairs[k], two);
    };
    const auto row = [&](std::int64_t tap)
                         HWY_ATTR { return hn::LoadU(bytes, place.at + tap * place.stride); };
    std::int64_t tap = 0;
    for (; tap + 2 <= taps; tap += 2) add(row(tap), row(tap + 1), two_weights(d, weights + tap));
    const std::int16_t last[] = {tap < taps ? weights[tap] : std::int16_t{0}, 0};
    if (tap < taps) add(row(tap), zero, two_weights(d, last));
    store_narrowed(d, sums, narrowing.shift, out + i);
  });
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
