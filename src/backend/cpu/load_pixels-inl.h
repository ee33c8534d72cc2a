// Included once per instruction set, by files that Highway compiles once per instruction set.
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

/// Where the bytes of each of three channels are in 64 pixels: in the first two of their three
/// vectors, then in what was picked from those and the third.
struct PixelBytes {
  constexpr PixelBytes() {
    for (int c = 0; c < 3; ++c)
      for (int pixel = 0; pixel < 64; ++pixel) {
        const int byte = 3 * pixel + c;
        in_two[c][pixel] = static_cast<std::uint8_t>(byte < 128 ? byte : 0);
        in_third[c][pixel] = static_cast<std::uint8_t>(byte < 128 ? pixel : byte - 64);
      }
  }

  HWY_ALIGN std::uint8_t in_two[3][64] = {}, in_third[3][64] = {};
};

/// As LoadInterleaved3, where bytes can be picked out of two vectors of 64: in a quarter of the
/// instructions. What it calls is found by its arguments, as other instruction sets lack it.
template <class D>
HWY_INLINE void pick_channels(D d, const std::uint8_t* in, hn::Vec<D> (&channels)[3]) {
  static constexpr PixelBytes kBytes;
  const auto a = LoadU(d, in), b = LoadU(d, in + 64), c = LoadU(d, in + 128);
  for (int i = 0; i < 3; ++i) {
    const auto two = _mm512_permutex2var_epi8(a.raw, hn::Load(d, kBytes.in_two[i]).raw, b.raw);
    channels[i].raw = _mm512_permutex2var_epi8(two, hn::Load(d, kBytes.in_third[i]).raw, c.raw);
  }
}

/// A vector of each of three or four channels of interleaved pixels.
template <class D, int C>
HWY_INLINE void load_pixels(D d, const hn::TFromD<D>* in, hn::Vec<D> (&channels)[C]) {
  if constexpr (C == 4) {
    hn::LoadInterleaved4(d, in, channels[0], channels[1], channels[2], channels[3]);
  } else if constexpr (HWY_TARGET <= HWY_AVX3_DL && sizeof(hn::TFromD<D>) == 1) {
    pick_channels(d, in, channels);
  } else {
    hn::LoadInterleaved3(d, in, channels[0], channels[1], channels[2]);
  }
}

/// The lanes in the opposite order. There is no such instruction for bytes: pairs, then in pairs.
template <class D>
HWY_INLINE hn::Vec<D> mirrored(D d, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) == 1 && HWY_TARGET != HWY_SCALAR) {
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
