#include "backend/cpu/gather.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/gather.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using D = hn::ScalableTag<T>;
template <class T>
using V = hn::Vec<D<T>>;

/// The lanes in the opposite order. There is no such instruction for bytes: pairs, then in pairs.
template <class T>
HWY_INLINE V<T> mirrored(V<T> v) {
  if constexpr (sizeof(T) == 1 && HWY_TARGET != HWY_SCALAR) {
    const hn::RepartitionToWide<D<T>> pairs;
    const auto two = hn::BitCast(pairs, v);
    const auto swapped = hn::Or(hn::ShiftLeft<8>(two), hn::ShiftRight<8>(two));
    return hn::BitCast(D<T>(), hn::Reverse(pairs, swapped));
  } else {
    return hn::Reverse(D<T>(), v);
  }
}

/// Whole vectors of pixels of one channel (stride -1 to 1); returns how many pixels they covered.
template <class T>
std::int64_t mirror_row(const T* in, T* out, std::int64_t pixels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D<T>()));
  std::int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes)
    hn::StoreU(mirrored<T>(hn::LoadU(D<T>(), in - i - lanes + 1)), D<T>(), out + i);
  return i;
}

/// The same for three channels, in planes or interleaved on either side.
template <class T, bool FromPixels, bool ToPixels, bool Mirror>
std::int64_t three_channels(const T* in, std::int64_t in_plane, T* out, std::int64_t out_plane,
                            std::int64_t pixels) {
  const D<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    const std::int64_t pixel = Mirror ? 1 - i - lanes : i;
    V<T> a, b, c;
    if constexpr (FromPixels) {
      hn::LoadInterleaved3(d, in + 3 * pixel, a, b, c);
    } else {
      a = hn::LoadU(d, in + pixel);
      b = hn::LoadU(d, in + in_plane + pixel);
      c = hn::LoadU(d, in + 2 * in_plane + pixel);
    }
    if constexpr (Mirror) {
      a = mirrored<T>(a);
      b = mirrored<T>(b);
      c = mirrored<T>(c);
    }
    if constexpr (ToPixels) {
      hn::StoreInterleaved3(a, b, c, d, out + 3 * i);
    } else {
      hn::StoreU(a, d, out + i);
      hn::StoreU(b, d, out + out_plane + i);
      hn::StoreU(c, d, out + 2 * out_plane + i);
    }
  }
  return i;
}

/// What vectors can do of three channels; returns how many pixels that was.
template <class T>
std::int64_t three_channels_any(const T* in, PixelStrides f, T* out, PixelStrides t,
                                std::int64_t pixels) {
  const bool from_pixels = f.channel == 1 && (f.pixel == 3 || f.pixel == -3);
  const bool to_pixels = t.channel == 1 && t.pixel == 3;
  if ((!from_pixels && f.pixel != 1 && f.pixel != -1) || (!to_pixels && t.pixel != 1)) return 0;
  const auto call = [&](auto function) { return function(in, f.channel, out, t.channel, pixels); };
  const bool mirror = f.pixel < 0;
  if (from_pixels && to_pixels)  // else it need not be gathered
    return mirror ? call(three_channels<T, true, true, true>) : 0;
  if (from_pixels)
    return call(mirror ? three_channels<T, true, false, true>
                       : three_channels<T, true, false, false>);
  if (to_pixels)
    return call(mirror ? three_channels<T, false, true, true>
                       : three_channels<T, false, true, false>);
  return 0;
}

template <class T>
void gather_as(const PixelSource& from, const PixelTarget& to, std::int64_t pixels,
               std::int64_t channels) {
  const PixelStrides f = from.strides, t = to.strides;
  const T* in = reinterpret_cast<const T*>(from.data);
  T* out = reinterpret_cast<T*>(to.data);
  std::int64_t done = 0;
  if (channels == 3) {
    done = three_channels_any(in, f, out, t, pixels);
  } else if (channels == 1 && f.pixel == -1 && t.pixel == 1) {
    done = mirror_row(in, out, pixels);
  }
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t i = done; i < pixels; ++i)
      out[i * t.pixel + c * t.channel] = in[i * f.pixel + c * f.channel];
}

void gather_any(const PixelSource& from, const PixelTarget& to, std::int64_t pixels,
                std::int64_t channels, std::int64_t size) {
  if (size == 1) return gather_as<std::uint8_t>(from, to, pixels, channels);
  if (size == 2) return gather_as<std::uint16_t>(from, to, pixels, channels);
  gather_as<std::uint32_t>(from, to, pixels, channels);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(gather_any);

void gather(const PixelSource& from, const PixelTarget& to, std::int64_t pixels,
            std::int64_t channels, std::int64_t size) {
  HWY_DYNAMIC_DISPATCH(gather_any)(from, to, pixels, channels, size);
}

}  // namespace normbench
#endif
