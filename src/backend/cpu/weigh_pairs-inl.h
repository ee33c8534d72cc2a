// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_WEIGH_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_WEIGH_PAIRS_INL_H_
#undef NORMBENCH_WEIGH_PAIRS_INL_H_
#else
#define NORMBENCH_WEIGH_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "backend/cpu/spread_bytes-inl.h"
#include "backend/cpu/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

/// Transposes as many rows as a vector has lanes. Each row has `columns` values of 32 bits, in the
/// order of store_narrowed(): a chunk (two vectors) is divided into blocks of 16 bytes, and the
/// even blocks lie before the odd ones. Also reads and writes the rest of the last chunk.
template <class D>
HWY_INLINE void transpose_narrowed(D d, const std::int32_t* in, std::int64_t stride,
                                   std::int64_t columns, std::int32_t* out) {
  constexpr std::int64_t lanes = hn::MaxLanes(D()), blocks = lanes / 2;
  for (std::int64_t c = 0; c < columns; c += 2 * lanes)
    for (std::int64_t b = 0; b < blocks; ++b)
      transpose_quad(d, in + c + b % 2 * lanes + b / 2 * 4, stride, out + (c + 4 * b) * lanes,
                     lanes);
}

/// Returns channel `c` of two pixels that have `group` channels each. A lane of 32 bits has the two
/// values of one row. `at(i)` returns column i of these pixels: each lane has the values 2 * i and
/// 2 * i + 1 of its row.
template <class D, class At>
HWY_INLINE hn::Vec<D> pair_channel(D d, At at, std::int64_t group, std::int64_t c) {
  const hn::Repartition<std::int16_t, D> words;
  const auto first = at(c / 2), second = at((group + c) / 2);
  const auto low = c % 2 == 0 ? first : hn::ShiftRight<16>(first);
  const auto high = (group + c) % 2 == 1 ? second : hn::ShiftLeft<16>(second);
  return BitCast(d, OddEven(BitCast(words, high), BitCast(words, low)));
}

/// Stores the vectors that pair_channel() returns for all channels of `pairs` pairs of pixels.
template <class D>
HWY_INLINE void pair_channels(D d, const std::int32_t* columns, std::int64_t group,
                              std::int64_t pairs, std::int32_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto at = [&](std::int64_t i) HWY_ATTR { return hn::Load(d, columns + i * lanes); };
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    for (std::int64_t c = 0; c < group; ++c)
      hn::Store(pair_channel(d, at, group, c), d, out + c * lanes);
    columns += group * lanes;
    out += group * lanes;
  }
}

/// Does the same as pair_channels(), for three channels.
template <class D>
HWY_INLINE void pair_three_channels(D d, const std::int32_t* columns, std::int64_t pairs,
                                    std::int32_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t pair = 0; pair < pairs; ++pair, columns += 3 * lanes, out += 3 * lanes) {
    const hn::Vec<D> loaded[] = {hn::Load(d, columns), hn::Load(d, columns + lanes),
                                 hn::Load(d, columns + 2 * lanes)};
    const auto at = [&](std::int64_t i) HWY_ATTR { return loaded[i]; };
    hn::Store(pair_channel(d, at, 3, 0), d, out);
    hn::Store(pair_channel(d, at, 3, 1), d, out + lanes);
    hn::Store(pair_channel(d, at, 3, 2), d, out + 2 * lanes);
  }
}

/// If this is added to a float from 0 to 255, the lowest eight bits of the sum are the rounded
/// float.
constexpr float rounding_summand = 0x1.8p23f;

/// The factors and summands that turn weighted sums of narrowed rows into bytes, a lane for each
/// row.
template <class D>
struct Widening {
  hn::Vec<hn::Repartition<float, D>> unit, middle;  // see Narrowing
};

/// Computes output pixels [begin, end). For each pixel and each of `channels` channels, stores a
/// vector with a rounded byte in the lowest eight bits of each lane. N channels are computed at
/// once. `cells` has the vectors of all channels of the input pixels from pair `first_pair` on. If
/// Pairs is not 0, each output pixel is computed from that many pairs, and their sum fits into 32
/// bits.
template <int N, int Pairs, class D>
HWY_INLINE void weigh_pixels(D d, const WholeWeights& whole, std::int64_t begin, std::int64_t end,
                             std::int64_t channels, const std::int32_t* cells,
                             std::int64_t first_pair, const Widening<D>& widening,
                             std::int32_t* out) {
  const hn::Repartition<std::int16_t, D> words;
  const hn::Repartition<float, D> floats;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t step = channels * lanes, pairs = Pairs > 0 ? Pairs : whole.pairs;
  const std::int64_t pairs_per_sum = Pairs > 0 ? Pairs : whole.pairs_per_sum;
  const auto magic = hn::Set(floats, rounding_summand);
  const WholeWeights::Pixel* pixel = whole.pixels.data() + begin;
  for (const WholeWeights::Pixel* const last = pixel + (end - begin); pixel < last; ++pixel) {
    const std::int32_t* in = cells + (pixel->first_pair - first_pair) * step;
    const auto unit = hn::Mul(widening.unit, hn::Set(floats, pixel->unit));
    for (std::int64_t c = 0; c < channels; c += N, in += N * lanes, out += N * lanes) {
      const std::int16_t* weights = whole.weights.data() + pixel->begin;
      const std::int32_t* at = in;
      hn::Vec<decltype(floats)> total[N];
      for (int n = 0; n < N; ++n) total[n] = widening.middle;
      for (std::int64_t pair = 0; pair < pairs;) {
        hn::Vec<D> sums[N];
        for (int n = 0; n < N; ++n) sums[n] = hn::Zero(d);
        const std::int64_t past = std::min(pairs, pair + pairs_per_sum);
        for (; pair < past; ++pair, at += step, weights += 2) {
          const auto two = two_weights(d, weights);
          for (int n = 0; n < N; ++n)
            sums[n] = add_products(d, sums[n], BitCast(words, hn::Load(d, at + n * lanes)), two);
        }
        for (int n = 0; n < N; ++n)
          total[n] = hn::MulAdd(ConvertTo(floats, sums[n]), unit, total[n]);
      }
      for (int n = 0; n < N; ++n)
        hn::Store(BitCast(d, hn::Add(total[n], magic)), d, out + n * lanes);
    }
  }
}

/// Packs `elements` vectors, four into one: the lowest bytes of the same lane of four vectors
/// become one lane. Also reads up to three vectors more.
template <class D>
HWY_INLINE void pack_bytes(D d, const std::int32_t* in, std::int64_t elements, std::int32_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto mask = hn::Set(d, 0xFF);
  const auto byte = [&](int i) HWY_ATTR { return hn::And(hn::Load(d, in + i * lanes), mask); };
  for (std::int64_t i = 0; i < elements; i += 4, in += 4 * lanes, out += lanes) {
    const auto low = hn::Or(byte(0), hn::ShiftLeft<8>(byte(1)));
    const auto high = hn::Or(byte(2), hn::ShiftLeft<8>(byte(3)));
    hn::Store(hn::Or(low, hn::ShiftLeft<16>(high)), d, out);
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
