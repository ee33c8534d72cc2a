#include "backend/cpu/gather.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/gather.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/load_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using D = hn::ScalableTag<T>;
template <class T>
using V = hn::Vec<D<T>>;

/// Calls `vector` for the first pixel of each whole vector, the last of them over the one before;
/// returns how many pixels that was: none where they make no vector.
template <class T, class Function>
HWY_INLINE std::int64_t by_vectors(std::int64_t pixels, const Function& vector) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D<T>()));
  if (pixels < lanes) return 0;
  std::int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) vector(i);
  if (i < pixels) vector(pixels - lanes);
  return pixels;
}

/// Pixels of one channel (stride -1 to 1); returns how many it did.
template <class T>
std::int64_t mirror_row(const T* in, T* out, std::int64_t pixels) {
  const D<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  return by_vectors<T>(pixels, [&](std::int64_t i) HWY_ATTR {
    hn::StoreU(mirrored(d, hn::LoadU(d, in - i - lanes + 1)), d, out + i);
  });
}

template <class T, int C>
HWY_INLINE void store_pixels(const V<T> (&v)[C], T* out) {
  if constexpr (C == 3) {
    hn::StoreInterleaved3(v[0], v[1], v[2], D<T>(), out);
  } else {
    hn::StoreInterleaved4(v[0], v[1], v[2], v[3], D<T>(), out);
  }
}

/// The same for three or four channels, in planes or interleaved on either side.
template <class T, int C, bool FromPixels, bool ToPixels, bool Mirror>
std::int64_t move_pixels(const T* in, std::int64_t in_plane, T* out, std::int64_t out_plane,
                         std::int64_t pixels) {
  const D<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  return by_vectors<T>(pixels, [&](std::int64_t i) HWY_ATTR {
    const std::int64_t pixel = Mirror ? 1 - i - lanes : i;
    V<T> v[C];
    if constexpr (FromPixels) load_pixels(d, in + C * pixel, v);
    for (int c = 0; c < C; ++c) {
      if constexpr (!FromPixels) v[c] = hn::LoadU(d, in + c * in_plane + pixel);
      if constexpr (Mirror) v[c] = mirrored(d, v[c]);
      if constexpr (!ToPixels) hn::StoreU(v[c], d, out + c * out_plane + i);
    }
    if constexpr (ToPixels) store_pixels<T, C>(v, out + C * i);
  });
}

/// What vectors can do of three or four channels; returns how many pixels that was.
template <class T, int C>
std::int64_t move_pixels_any(const T* in, PixelStrides f, T* out, PixelStrides t,
                             std::int64_t pixels) {
  const bool from_pixels = f.channel == 1 && (f.pixel == C || f.pixel == -C);
  const bool to_pixels = t.channel == 1 && t.pixel == C;
  if ((!from_pixels && f.pixel != 1 && f.pixel != -1) || (!to_pixels && t.pixel != 1)) return 0;
  const auto call = [&](auto function) { return function(in, f.channel, out, t.channel, pixels); };
  const bool mirror = f.pixel < 0;
  if (from_pixels && to_pixels)  // else a copy
    return mirror ? call(move_pixels<T, C, true, true, true>) : 0;
  if (from_pixels)
    return call(mirror ? move_pixels<T, C, true, false, true>
                       : move_pixels<T, C, true, false, false>);
  if (to_pixels)
    return call(mirror ? move_pixels<T, C, false, true, true>
                       : move_pixels<T, C, false, true, false>);
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
    done = move_pixels_any<T, 3>(in, f, out, t, pixels);
  } else if (channels == 4) {
    done = move_pixels_any<T, 4>(in, f, out, t, pixels);
  } else if (channels == 1 && f.pixel == -1 && t.pixel == 1) {
    done = mirror_row(in, out, pixels);
  }
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t i = done; i < pixels; ++i)
      out[i * t.pixel + c * t.channel] = in[i * f.pixel + c * f.channel];
}

/// True for pixels that lie side by side, channels too, on both sides.
bool is_copy(PixelStrides f, PixelStrides t, std::int64_t channels) {
  return f.pixel == channels && t.pixel == channels &&
         (channels == 1 || (f.channel == 1 && t.channel == 1));
}

void gather_any(const PixelSource& from, const PixelTarget& to, std::int64_t pixels,
                std::int64_t channels, std::int64_t size) {
  if (is_copy(from.strides, to.strides, channels)) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(pixels * channels * size));
    return;
  }
  switch (size) {
    case 1:
      return gather_as<std::uint8_t>(from, to, pixels, channels);
    case 2:
      return gather_as<std::uint16_t>(from, to, pixels, channels);
    case 4:
      return gather_as<std::uint32_t>(from, to, pixels, channels);
    default:
      HWY_ABORT("no rows of pixels of %d bytes a channel", static_cast<int>(size));
  }
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
