#include "backend/cpu/move_simd.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/fetch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/move_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/load_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <class T>
using D = hn::ScalableTag<T>;
template <class T>
using V = hn::Vec<D<T>>;

constexpr std::int64_t kLine = 64;  // bytes
constexpr std::int64_t kRows = 4;   // that are moved at a time

/// Pixels that are moved at a time: a cache line of each channel.
template <class T>
constexpr std::int64_t kVisit = kLine / static_cast<std::int64_t>(sizeof(T));

/// How the channels of pixels lie on both sides: interleaved, or else in planes.
template <class Element, int Channels, bool FromPixels, bool ToPixels, bool Mirror>
struct Way {
  using T = Element;
  static constexpr int kChannels = Channels;
  static constexpr bool kFromPixels = FromPixels, kToPixels = ToPixels, kMirror = Mirror;
  static constexpr int kIn = FromPixels ? Channels : 1, kOut = ToPixels ? Channels : 1;
};

template <class W>
HWY_INLINE void store_pixels(const V<typename W::T> (&v)[W::kChannels], typename W::T* out) {
  const D<typename W::T> d;
  if constexpr (W::kChannels == 3) {
    hn::StoreInterleaved3(v[0], v[1], v[2], d, out);
  } else {
    hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, out);
  }
}

/// One visit, by vectors. `in` is the lowest of its addresses.
template <class W, Stores S, class T = typename W::T>
HWY_INLINE void visit(const T* in, std::int64_t in_plane, T* out, std::int64_t out_plane) {
  const D<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (W::kChannels == 3 && kPicksBytes) {
    V<T> v[3];
    for (int c = 0; c < 3; ++c) v[c] = hn::LoadU(d, in + c * (W::kFromPixels ? lanes : in_plane));
    reorder_pixels<W::kFromPixels, W::kToPixels, W::kMirror>(d, v);
    for (int c = 0; c < 3; ++c) put<S>(d, v[c], out + c * (W::kToPixels ? lanes : out_plane));
  } else if constexpr (W::kToPixels && S == Stores::NonTemporal) {
    HWY_ALIGN T pixels[W::kChannels * kVisit<T>];
    visit<W, Stores::Normal>(in, in_plane, pixels, out_plane);
    for (std::int64_t i = 0; i < W::kChannels * kVisit<T>; i += lanes)
      put<S>(d, hn::Load(d, pixels + i), out + i);
  } else {
    for (std::int64_t i = 0; i < kVisit<T>; i += lanes) {
      const T* from = in + W::kIn * (W::kMirror ? kVisit<T> - lanes - i : i);
      V<T> v[W::kChannels];
      if constexpr (W::kFromPixels) load_pixels(d, from, v);
      for (int c = 0; c < W::kChannels; ++c) {
        if constexpr (!W::kFromPixels) v[c] = hn::LoadU(d, from + c * in_plane);
        if constexpr (W::kMirror) v[c] = mirrored(d, v[c]);
        if constexpr (!W::kToPixels) put<S>(d, v[c], out + c * out_plane + i);
      }
      if constexpr (W::kToPixels) store_pixels<W>(v, out + W::kChannels * i);
    }
  }
}

/// One row, and the distances between its planes.
template <class W>
struct MovedRow {
  using T = typename W::T;
  const T* in;
  T* out;
  std::int64_t in_plane, out_plane;

  /// The lowest address of a visit.
  HWY_INLINE const T* source(std::int64_t pixel) const {
    return in + W::kIn * (W::kMirror ? 1 - pixel - kVisit<T> : pixel);
  }
  template <Stores S>
  HWY_INLINE void move(std::int64_t pixel) const {
    visit<W, S>(source(pixel), in_plane, out + W::kOut * pixel, out_plane);
  }
  /// Only `count` pixels from `first` on, of the visit to `pixel`.
  void move_some(std::int64_t pixel, std::int64_t first, std::int64_t count) const {
    if (count <= 0) return;
    HWY_ALIGN T some[W::kChannels * kVisit<T>];
    visit<W, Stores::Normal>(source(pixel), in_plane, some, kVisit<T>);
    for (int c = 0; c < W::kChannels / W::kOut; ++c)
      std::memcpy(out + W::kOut * first + c * out_plane,
                  some + W::kOut * (first - pixel) + c * kVisit<T>,
                  static_cast<std::size_t>(W::kOut * count) * sizeof(T));
  }
  HWY_INLINE void fetch(std::int64_t pixel, std::int64_t bytes_ahead) const {
    const auto* ahead = reinterpret_cast<const std::byte*>(source(pixel)) + bytes_ahead;
    for (int c = 0; c < W::kChannels; ++c)
      fetch_line(ahead + c * (W::kFromPixels ? kLine : in_plane * std::int64_t{sizeof(T)}));
  }
  /// The first pixel at which a line of the output starts; none: more than a visit has.
  std::int64_t first_line() const {
    constexpr std::uintptr_t size = W::kOut * sizeof(T);
    const auto address = reinterpret_cast<std::uintptr_t>(out);
    std::uintptr_t pixel = 0;
    while (pixel <= kVisit<T> && (address + pixel * size) % kLine != 0) ++pixel;
    return static_cast<std::int64_t>(pixel);
  }
};

/// Up to kRows rows side by side, while as many after them are fetched: one after the other leaves
/// memory idle, as prefetchers of the hardware stop where pages end.
template <class W, Stores S>
HWY_INLINE void move_rows_together(const MovedRow<W> (&rows)[kRows], std::int64_t count,
                                   std::int64_t pixels, std::int64_t bytes_ahead) {
  constexpr std::int64_t kStep = kVisit<typename W::T>;
  std::int64_t first[kRows] = {}, visits = pixels / kStep;
  for (std::int64_t r = 0; S != Stores::Normal && r < count; ++r) {
    first[r] = std::min(pixels, rows[r].first_line());
    rows[r].move_some(0, 0, first[r]);
    visits = std::min(visits, (pixels - first[r]) / kStep);
  }
  for (std::int64_t i = 0; i < visits * kStep; i += kStep)
    for (std::int64_t r = 0; r < count; ++r) {
      rows[r].fetch(first[r] + i, bytes_ahead);
      rows[r].template move<S>(first[r] + i);
      // Fetches gathered from several rows by the compiler cost a seventh on Emerald Rapids.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  for (std::int64_t r = 0; r < count; ++r) {
    std::int64_t done = first[r] + visits * kStep;
    for (; done + kStep <= pixels; done += kStep) rows[r].template move<S>(done);
    rows[r].move_some(pixels - kStep, done, pixels - done);
  }
}

template <class W, Stores S>
void move_rows(const PixelRun& run) {
  using T = typename W::T;
  const auto row = [&](std::int64_t y) {
    return MovedRow<W>{reinterpret_cast<const T*>(run.from.data + y * run.stride),
                       reinterpret_cast<T*>(run.to.data) + y * run.pixels * W::kOut,
                       run.from.strides.channel, run.to.strides.channel};
  };
  for (std::int64_t y = 0; y < run.rows; y += kRows) {
    const std::int64_t count = std::min(kRows, run.rows - y);
    MovedRow<W> rows[kRows];
    for (std::int64_t r = 0; r < count; ++r) rows[r] = row(y + r);
    move_rows_together<W, S>(rows, count, run.pixels,
                             y + 2 * kRows <= run.rows ? kRows * run.stride : 0);
  }
}

/// A long row as many: kStrip pixels make a row. What is left is one of its own.
template <class W, Stores S>
void move_strips(PixelRun run) {
  using T = typename W::T;
  constexpr std::int64_t kStrip = kPrefetchReach / static_cast<std::int64_t>(sizeof(T));
  if (run.rows == 1 && run.pixels >= kStrip + kVisit<T>) {
    const std::int64_t pixels = run.pixels, rows = (pixels - kVisit<T>) / kStrip;
    constexpr std::int64_t kIn = W::kIn * (W::kMirror ? -1 : 1) * std::int64_t{sizeof(T)};
    run.pixels = kStrip;
    run.rows = rows;
    run.stride = kStrip * kIn;
    move_rows<W, S>(run);
    run.from.data += rows * run.stride;
    run.to.data += rows * kStrip * W::kOut * std::int64_t{sizeof(T)};
    run.pixels = pixels - rows * kStrip;
    run.rows = 1;
  }
  move_rows<W, S>(run);
}

template <class W>
bool move_as(const PixelRun& run, Stores stores) {
  using T = typename W::T;
  if (run.pixels < kVisit<T>) return false;
  if (stores == Stores::Normal) {
    move_strips<W, Stores::Normal>(run);
    return true;
  }
  const MovedRow<W> first{nullptr, reinterpret_cast<T*>(run.to.data), 0, 0};
  const bool alike = W::kOut == W::kChannels || run.to.strides.channel % kVisit<T> == 0;
  if (!alike || first.first_line() > kVisit<T>) return false;
  move_strips<W, Stores::NonTemporal>(run);
  return true;
}

/// Three or four channels.
template <class T, int C>
bool move_channels(const PixelRun& run, Stores stores) {
  const PixelStrides f = run.from.strides, t = run.to.strides;
  const bool from_pixels = f.channel == 1 && (f.pixel == C || f.pixel == -C);
  const bool to_pixels = t.channel == 1 && t.pixel == C;
  if ((!from_pixels && f.pixel != 1 && f.pixel != -1) || (!to_pixels && t.pixel != 1)) return false;
  if (from_pixels && to_pixels)  // mirrored, else a copy
    return move_as<Way<T, C, true, true, true>>(run, stores);
  if (from_pixels)
    return f.pixel < 0 ? move_as<Way<T, C, true, false, true>>(run, stores)
                       : move_as<Way<T, C, true, false, false>>(run, stores);
  if (!to_pixels) return false;
  return f.pixel < 0 ? move_as<Way<T, C, false, true, true>>(run, stores)
                     : move_as<Way<T, C, false, true, false>>(run, stores);
}

template <class T>
bool move_elements(const PixelRun& run, Stores stores) {
  if (run.channels == 3) return move_channels<T, 3>(run, stores);
  if (run.channels == 4) return move_channels<T, 4>(run, stores);
  if (run.channels != 1 || run.from.strides.pixel != -1 || run.to.strides.pixel != 1) return false;
  return move_as<Way<T, 1, false, false, true>>(run, stores);
}

/// True for pixels that lie side by side, channels too, on both sides.
bool is_copy(const PixelRun& run) {
  const PixelStrides f = run.from.strides, t = run.to.strides;
  return f.pixel == run.channels && t.pixel == run.channels &&
         (run.channels == 1 || (f.channel == 1 && t.channel == 1));
}

bool move_any(const PixelRun& run, std::int64_t size, Stores stores) {
  if (is_copy(run)) {
    PixelRun bytes = run;
    bytes.pixels *= run.channels * size;
    // Ends of rows within lines, one by one, cost more than rows side by side gain.
    if (stores != Stores::Normal && run.rows > 1 && bytes.pixels % kLine != 0) return false;
    return move_as<Way<std::uint8_t, 1, false, false, false>>(bytes, stores);
  }
  switch (size) {
    case 1:
      return move_elements<std::uint8_t>(run, stores);
    case 2:
      return move_elements<std::uint16_t>(run, stores);
    default:
      return move_elements<std::uint32_t>(run, stores);
  }
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {
namespace {

template <class T>
void gather_elements(const PixelRun& run) {
  const PixelStrides f = run.from.strides, t = run.to.strides;
  for (std::int64_t y = 0; y < run.rows; ++y) {
    const T* in = reinterpret_cast<const T*>(run.from.data + y * run.stride);
    T* out = reinterpret_cast<T*>(run.to.data) + y * run.pixels * t.pixel;
    for (std::int64_t c = 0; c < run.channels; ++c)
      for (std::int64_t i = 0; i < run.pixels; ++i)
        out[i * t.pixel + c * t.channel] = in[i * f.pixel + c * f.channel];
  }
}

}  // namespace

HWY_EXPORT(move_any);

bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(move_any)(run, size, stores);
}

void gather(const PixelRun& run, std::int64_t size) {
  if (move_pixels(run, size, Stores::Normal)) return;
  switch (size) {
    case 1:
      return gather_elements<std::uint8_t>(run);
    case 2:
      return gather_elements<std::uint16_t>(run);
    case 4:
      return gather_elements<std::uint32_t>(run);
    default:
      HWY_ABORT("no pixels of %d bytes a channel", static_cast<int>(size));
  }
}

}  // namespace normbench
#endif
