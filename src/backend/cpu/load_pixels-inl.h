// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_LOAD_PIXELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_LOAD_PIXELS_INL_H_
#undef NORMBENCH_LOAD_PIXELS_INL_H_
#else
#define NORMBENCH_LOAD_PIXELS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// True for instruction sets that pick bytes out of two vectors at once (AVX-512 with VBMI).
constexpr bool kPicksBytes = HWY_TARGET <= HWY_AVX3_DL;

/// Byte indices that reorder the pixels in three vectors. A pixel has three channels with elements
/// of `Size` bytes. If `FromPixels` is true, the three vectors hold interleaved pixels at first.
/// Otherwise each holds one channel. `ToPixels` says in the same way what the three results hold.
/// If `Mirror` is true, the order of the pixels is reversed. `in_two` picks bytes from the first
/// two vectors. `in_third` picks bytes from the result of `in_two` and from the third vector.
template <int Size, bool FromPixels, bool ToPixels, bool Mirror>
struct PickedBytes {
  constexpr PickedBytes() {
    constexpr int pixels = 64 / Size;
    for (int at = 0; at < 3 * pixels; ++at) {
      const int to_pixel = ToPixels ? at / 3 : at % pixels;
      const int channel = ToPixels ? at % 3 : at / pixels;
      const int pixel = Mirror ? pixels - 1 - to_pixel : to_pixel;
      const int from = FromPixels ? 3 * pixel + channel : channel * pixels + pixel;
      for (int i = 0; i < Size; ++i) {
        const int to = at * Size + i, byte = from * Size + i;
        in_two[to / 64][to % 64] = static_cast<std::uint8_t>(byte < 128 ? byte : 0);
        in_third[to / 64][to % 64] = static_cast<std::uint8_t>(byte < 128 ? to % 64 : byte - 64);
      }
    }
  }

  HWY_ALIGN std::uint8_t in_two[3][64] = {}, in_third[3][64] = {};
};

/// Reorders pixels of three channels in three vectors, as PickedBytes describes. Takes a quarter of
/// the instructions of Highway's functions for interleaved data. It is a template, so that
/// instruction sets without the operations do not compile it.
template <bool FromPixels, bool ToPixels, bool Mirror, class D>
HWY_INLINE void reorder_pixels(D d, hn::Vec<D> (&channels)[3]) {
  static constexpr PickedBytes<sizeof(hn::TFromD<D>), FromPixels, ToPixels, Mirror> kBytes;
  const hn::Repartition<std::uint8_t, D> bytes;
  const auto a = BitCast(bytes, channels[0]), b = BitCast(bytes, channels[1]),
             c = BitCast(bytes, channels[2]);
  for (int i = 0; i < 3; ++i) {
    auto picked = a;
    picked.raw = _mm512_permutex2var_epi8(a.raw, hn::Load(bytes, kBytes.in_two[i]).raw, b.raw);
    picked.raw =
        _mm512_permutex2var_epi8(picked.raw, hn::Load(bytes, kBytes.in_third[i]).raw, c.raw);
    channels[i] = BitCast(d, picked);
  }
}

/// Loads a vector of each channel from interleaved pixels of three or four channels.
template <class D, int C>
HWY_INLINE void load_pixels(D d, const hn::TFromD<D>* in, hn::Vec<D> (&channels)[C]) {
  if constexpr (C == 4) {
    hn::LoadInterleaved4(d, in, channels[0], channels[1], channels[2], channels[3]);
  } else if constexpr (kPicksBytes) {
    for (int c = 0; c < 3; ++c) channels[c] = hn::LoadU(d, in + c * hn::Lanes(d));
    reorder_pixels<true, false, false>(d, channels);
  } else {
    hn::LoadInterleaved3(d, in, channels[0], channels[1], channels[2]);
  }
}

/// Returns the lanes in the opposite order. AVX-512 with VBMI reverses bytes with one instruction.
/// Other instruction sets swap the bytes of each pair and then reverse the pairs.
template <class D>
HWY_INLINE hn::Vec<D> mirrored(D d, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) == 1 && kPicksBytes) {
    const auto order = hn::Sub(hn::Set(d, std::uint8_t{63}), hn::Iota(d, std::uint8_t{0}));
    v.raw = _mm512_permutexvar_epi8(order.raw, v.raw);
    return v;
  } else if constexpr (sizeof(hn::TFromD<D>) == 1 && HWY_TARGET != HWY_SCALAR) {
    const hn::RepartitionToWide<D> pairs;
    const auto two = hn::BitCast(pairs, v);
    const auto swapped = hn::Or(hn::ShiftLeft<8>(two), hn::ShiftRight<8>(two));
    return hn::BitCast(d, hn::Reverse(pairs, swapped));
  } else {
    return hn::Reverse(d, v);
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
