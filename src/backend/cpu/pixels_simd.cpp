#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pixels_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/load_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

// The number of pixels that are processed at once, in a visit. They fill only a few cache lines. If
// a visit had as many pixels as a tile of walk(), memory would idle while the channels are
// separated.
constexpr std::int64_t kVisit = 64;  // pixels: whole cache lines of every channel

using Channel = OneChannel<MultiplyAdd>;
using Apart = std::uint8_t[3][kVisit];

/// Returns the lowest address of `pixels` neighbouring pixels of a row. The row begins at address
/// `first`. The first of these pixels is pixel `on` of the row, counted from 0.
template <bool Mirrored>
HWY_INLINE const std::uint8_t* pixels_at(const std::byte* first, std::int64_t on,
                                         std::int64_t pixels) {
  return reinterpret_cast<const std::uint8_t*>(first) + 3 * (Mirrored ? 1 - on - pixels : on);
}

/// Separates the channels of the visit that begins `on` pixels after `first`.
template <bool Mirrored>
HWY_INLINE void take_apart(const std::byte* first, std::int64_t on, Apart& apart) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < kVisit; i += lanes) {
    hn::Vec<decltype(d)> v[3];
    load_pixels(d, pixels_at<Mirrored>(first, on + i, lanes), v);
    for (int c = 0; c < 3; ++c) hn::Store(Mirrored ? mirrored(d, v[c]) : v[c], d, apart[c] + i);
  }
}

/// Computes each channel of a visit. Uses the same instructions as a kernel that computes a Run of
/// a single channel, so that both give the same values.
template <DType To, Stores S, class Function>
HWY_INLINE void all(const Apart& apart, Storage<To>* out, std::int64_t plane,
                    const Function (&f)[3]) {
  constexpr int kVectors = vectors_per_chunk<DType::UInt8, To>();
  const auto elements = kVectors * static_cast<std::int64_t>(hn::Lanes(F()));
  for (int c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < kVisit; i += elements)
      chunk<DType::UInt8, To, S, kVectors>(apart[c] + i, out + c * plane + i, f[c]);
}

/// Computes only `count` pixels of a visit, from pixel `from` on.
template <DType To, Stores S>
HWY_INLINE void some(const Apart& apart, std::int64_t from, std::int64_t count, Storage<To>* out,
                     std::int64_t plane, const Channel (&f)[3]) {
  const auto elements = vectors_per_block<To>() * static_cast<std::int64_t>(hn::Lanes(F()));
  for (int c = 0; c < 3; ++c) {
    std::int64_t i = 0;
    for (; i + elements <= count; i += elements)
      block<DType::UInt8, To, S>(apart[c] + from + i, out + c * plane + i, f[c]);
    partial<DType::UInt8, To>(apart[c] + from + i, out + c * plane + i, count - i, f[c]);
  }
}

/// One row to compute. `in` is its first pixel, and `out` is the output of the first channel.
/// `ahead` is the first pixel to prefetch while the row is computed, or null.
template <DType To>
struct Row {
  const std::byte *in, *ahead;
  Storage<To>* out;
  std::int64_t pixels;
  bool is_long;  // true: the only row of its run
};

/// Computes whole visits from pixel `i` on. Returns the first pixel that is not done.
template <DType To, Stores S, bool Mirrored, class Function>
HWY_INLINE std::int64_t visits(const Row<To>& row, std::int64_t i, std::int64_t plane,
                               const Function (&f)[3]) {
  for (; i + kVisit <= row.pixels; i += kVisit) {
    if (row.ahead) fetch_lines(pixels_at<Mirrored>(row.ahead, i, kVisit), 3 * kVisit);
    HWY_ALIGN Apart apart;
    take_apart<Mirrored>(row.in, i, apart);
    all<To, S>(apart, row.out + i, plane, f);
  }
  return i;
}

/// The number of parts of a row that are computed in turn. There are fewer than kParts, since each
/// part writes to three planes.
constexpr std::int64_t kRowParts = 4;

/// Divides the pixels from pixel `i` on into kRowParts parts, and computes one visit of each part
/// in turn. Returns the first pixel that is not done.
template <DType To, bool Mirrored, class Function>
HWY_INLINE std::int64_t visits_in_parts(const Row<To>& row, std::int64_t i, std::int64_t plane,
                                        const Function (&f)[3]) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(*row.out));
  constexpr std::int64_t ahead = kFetchAhead / 64 * kVisit / 2;  // pixels
  const std::int64_t phase = part_phase({}, row.out);
  while (const std::int64_t part =
             part_bytes((row.pixels - i) / kRowParts * size, phase) / size / kVisit * kVisit) {
    for (const std::int64_t end = i + part; i < end; i += kVisit)
      for (std::int64_t at = i; at < i + kRowParts * part; at += part) {
        fetch_lines_soon(pixels_at<Mirrored>(row.in, at + ahead, kVisit), 3 * kVisit);
        HWY_ALIGN Apart apart;
        take_apart<Mirrored>(row.in, at, apart);
        all<To, Stores::NonTemporal>(apart, row.out + at, plane, f);
      }
    i += (kRowParts - 1) * part;
  }
  return i;
}

/// Computes a row. Non-temporal stores begin at the first pixel at which a cache line of every
/// plane starts.
template <DType To, Stores S, bool Mirrored, class Function>
HWY_INLINE void whole_row(const Row<To>& row, std::int64_t plane, const Function (&f)[3],
                          const Channel (&plain)[3]) {
  constexpr std::uintptr_t kLine = 64;
  HWY_ALIGN Apart apart;
  std::int64_t done = 0;
  if constexpr (S != Stores::Normal) {
    const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(row.out) % kLine;
    done = static_cast<std::int64_t>((kLine - past) % kLine / sizeof(*row.out));
    if (done > 0) {
      take_apart<Mirrored>(row.in, 0, apart);
      some<To, Stores::Normal>(apart, 0, done, row.out, plane, plain);
    }
  }
  if constexpr (S != Stores::Normal)
    if (row.is_long) done = visits_in_parts<To, Mirrored>(row, done, plane, f);
  done = visits<To, S, Mirrored>(row, done, plane, f);
  if (done == row.pixels) return;
  const std::int64_t rest = row.pixels - done;
  take_apart<Mirrored>(row.in, row.pixels - kVisit, apart);
  some<To, S>(apart, kVisit - rest, rest, row.out + done, plane, plain);
}

/// The distance at which visits() prefetches within the row. It is used if stores go past the cache
/// and the run has a single row, because then there is no next row to prefetch. It is more than a
/// page, because hardware prefetchers stop at the end of each page.
constexpr std::int64_t kAhead = 72 * 64;  // bytes

template <DType To, Stores S, bool Mirrored, class Function>
HWY_INLINE void rows(const PixelRun& run, const Function (&f)[3], const Channel (&plain)[3]) {
  auto* out = reinterpret_cast<Storage<To>*>(run.to.data);
  for (std::int64_t y = 0; y < run.rows; ++y) {
    const std::byte* const in = run.from.data + y * run.stride;
    const std::byte* ahead = y + 1 < run.rows ? in + run.stride : nullptr;
    if (S != Stores::Normal && run.rows == 1) ahead = Mirrored ? in - kAhead : in + kAhead;
    whole_row<To, S, Mirrored>({in, ahead, out + y * run.pixels, run.pixels, run.rows == 1},
                               run.to.strides.channel, f, plain);
  }
}

template <DType To, Stores S, bool Mirrored>
void to_planes(const PixelRun& run, const float* a, const float* b) {
  const Channel f[3] = {{a, b}, {a + 1, b + 1}, {a + 2, b + 2}};
  if constexpr (kLooksUp<DType::UInt8, To>)
    if (run.rows * run.pixels >= kWorthATable) {
      using Table = LookedUp<To, Channel>;
      return rows<To, S, Mirrored>(run, {Table(f[0]), Table(f[1]), Table(f[2])}, f);
    }
  rows<To, S, Mirrored>(run, f, f);
}

template <DType To, Stores S>
bool pixels_to_planes(const PixelRun& run, const float* a, const float* b) {
  const PixelStrides from = run.from.strides, to = run.to.strides;
  if (run.channels != 3 || from.channel != 1 || (from.pixel != 3 && from.pixel != -3) ||
      to.pixel != 1 || run.pixels < kVisit)
    return false;
  if (S != Stores::Normal && to.channel * sizeof(Storage<To>) % 64 != 0) return false;
  from.pixel < 0 ? to_planes<To, S, true>(run, a, b) : to_planes<To, S, false>(run, a, b);
  return true;
}

template <DType To>
PixelFunction pixels_with(Stores stores) {
  if (stores == Stores::NonTemporal) return &pixels_to_planes<To, Stores::NonTemporal>;
  return &pixels_to_planes<To, Stores::Normal>;
}

PixelFunction pick_pixels(DType to, Stores stores) {
  return with_fixed(to, [=]<DType To>(Fixed<To>) -> PixelFunction {
    if constexpr (is_float(To) && !kScalar)
      return pixels_with<To>(stores);
    else
      return nullptr;
  });
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_pixels);

PixelFunction pixels_function(DType from, DType to, Stores stores) {
  if (from != DType::UInt8) return nullptr;
  return HWY_DYNAMIC_DISPATCH(pick_pixels)(to, stores);
}

}  // namespace normbench
#endif
