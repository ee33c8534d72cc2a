// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_MOVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_MOVE_INL_H_
#undef NORMBENCH_MOVE_INL_H_
#else
#define NORMBENCH_MOVE_INL_H_
#endif

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/fetch.h"
#include "backend/cpu/load_pixels-inl.h"
#include "backend/cpu/move_simd.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <class T>
using D = hn::ScalableTag<T>;
template <class T>
using V = hn::Vec<D<T>>;

constexpr std::int64_t kLine = 64;  // bytes

/// The number of pixels that are moved at once, in a visit: a cache line of each channel.
template <class T>
constexpr std::int64_t kVisit = kLine / static_cast<std::int64_t>(sizeof(T));

/// How pixels are moved: from interleaved pixels or planes, to interleaved pixels or planes, and
/// mirrored or not.
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

/// Moves the pixels of one visit. `in` is the lowest source address of these pixels.
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

/// One row to be moved, and the distances between its planes in elements.
template <class W>
struct MovedRow {
  using T = typename W::T;
  static constexpr std::int64_t kStep = kVisit<T>;
  static constexpr int kPlanes = W::kChannels / W::kOut;  // the number of planes of the output

  const T* in;
  T* out;
  std::int64_t in_plane, out_plane;

  /// Returns the part of the row from `pixel` on.
  HWY_INLINE MovedRow from(std::int64_t pixel) const {
    return {in + W::kIn * (W::kMirror ? -pixel : pixel), out + W::kOut * pixel, in_plane,
            out_plane};
  }
  /// Returns the lowest source address of the visit at `pixel`.
  HWY_INLINE const T* source(std::int64_t pixel) const {
    return in + W::kIn * (W::kMirror ? 1 - pixel - kStep : pixel);
  }
  template <Stores S>
  HWY_INLINE void move(std::int64_t pixel) const {
    visit<W, S>(source(pixel), in_plane, out + W::kOut * pixel, out_plane);
  }
  /// Does the same as move(), for rare calls. It is not inlined, so that it is compiled once.
  template <Stores S>
  HWY_NOINLINE void move_one(std::int64_t pixel) const {
    move<S>(pixel);
  }
  /// Moves only `count` pixels from pixel `first` on. All of them belong to the visit at `pixel`.
  HWY_NOINLINE void move_some(std::int64_t pixel, std::int64_t first, std::int64_t count) const {
    if (count <= 0) return;
    HWY_ALIGN T some[W::kChannels * kStep];
    visit<W, Stores::Normal>(source(pixel), in_plane, some, kStep);
    for (int c = 0; c < kPlanes; ++c)
      std::memcpy(out + W::kOut * first + c * out_plane,
                  some + W::kOut * (first - pixel) + c * kStep,
                  static_cast<std::size_t>(W::kOut * count) * sizeof(T));
  }
  /// Prefetches the lines that are `bytes_ahead` bytes after the source of the visit at `pixel`:
  /// into the first-level cache if `Soon`, otherwise into the second-level cache.
  template <bool Soon>
  HWY_INLINE void fetch(std::int64_t pixel, std::int64_t bytes_ahead) const {
    const auto* ahead = reinterpret_cast<const std::byte*>(source(pixel)) + bytes_ahead;
    for (int c = 0; c < W::kChannels; ++c) {
      const auto* line = ahead + c * (W::kFromPixels ? kLine : in_plane * std::int64_t{sizeof(T)});
      Soon ? fetch_line_soon(line) : fetch_line(line);
    }
  }
  HWY_INLINE void fetch(std::int64_t pixel, std::int64_t bytes_ahead, bool soon) const {
    soon ? fetch<true>(pixel, bytes_ahead) : fetch<false>(pixel, bytes_ahead);
  }
  /// Returns the first pixel at which a cache line of the output starts. Returns more than kStep if
  /// no cache line starts at a pixel.
  HWY_INLINE std::int64_t first_line() const {
    constexpr std::int64_t kThird = 43;  // inverse of 3 modulo 64: 3 * 43 = 2 * 64 + 1
    const auto elements = static_cast<std::int64_t>(
        (std::uintptr_t{0} - reinterpret_cast<std::uintptr_t>(out)) % kLine / sizeof(T));
    if constexpr (W::kOut == 4) return elements % 4 == 0 ? elements / 4 : kStep + 1;
    return W::kOut == 3 ? elements * kThird % kStep : elements;
  }
  /// Calls claim_page() for the pages that begin within the first `pixels` pixels of the output,
  /// because they will soon be stored to.
  void claim_pages(std::int64_t pixels) const {
    for (int c = 0; c < kPlanes; ++c) {
      const auto begin = reinterpret_cast<std::uintptr_t>(out + c * out_plane);
      const std::uintptr_t end = begin + static_cast<std::uintptr_t>(pixels * W::kOut) * sizeof(T);
      for (std::uintptr_t page = (begin + kPage - 1) / kPage * kPage; page < end; page += kPage)
        claim_page(reinterpret_cast<const void*>(page));
    }
  }

 private:
  static constexpr std::uintptr_t kPage = 4096;
};

/// A buffer with the last pixels of a row and the first pixels of the next row, in the layout of
/// the output. The cache line that both rows share is stored from this buffer. The buffer is filled
/// before the row is moved, because a load of data just stored would wait for all earlier stores
/// past the cache.
template <class W>
class Seam {
  using T = typename W::T;
  using Row = MovedRow<W>;

 public:
  HWY_NOINLINE void fill(const Row& row, std::int64_t pixels, const Row& next) {
    visit<W, Stores::Normal>(row.source(pixels - Row::kStep), row.in_plane, both_, kPlane);
    visit<W, Stores::Normal>(next.source(0), next.in_plane, both_ + W::kOut * Row::kStep, kPlane);
  }
  /// Stores the last `count` pixels of the row, and enough pixels of the next row to fill a visit.
  void store(const Row& to, std::int64_t count) const {
    const D<T> d;
    const T* const first = both_ + W::kOut * (Row::kStep - count);
    for (int c = 0; c < Row::kPlanes; ++c)
      for (std::int64_t i = 0; i < W::kOut * Row::kStep;
           i += static_cast<std::int64_t>(hn::Lanes(d)))
        put<Stores::NonTemporal>(d, hn::LoadU(d, first + c * kPlane + i),
                                 to.out + c * to.out_plane + i);
  }

 private:
  static constexpr std::int64_t kPlane = 2 * Row::kStep;
  HWY_ALIGN T both_[W::kChannels * kPlane];
};

/// The number of parts of a run that are moved side by side. With one part, memory would idle at
/// the end of every page, where the hardware prefetchers stop. From planes to pixels there are
/// fewer parts, since each part reads from three or four planes.
template <class W>
constexpr int kParts = kScalar ? 1 : (W::kChannels > W::kIn ? 4 : 8);

/// True if eight unrolled visits would have 10 to 19 KB of instructions. If so, visits run in a
/// loop that is not unrolled. The loop takes 0.6 to 1.1 times as long as unrolled visits.
template <class W>
constexpr bool kLongVisit =
    W::kFromPixels &&
    sizeof(typename W::T) < 4 && hn::MaxLanes(D<std::uint8_t>()) == 16 && W::kMirror;

/// The distance at which a move prefetches: `rows` rows, or `pixels` pixels if a part has a single
/// row.
struct Ahead {
  std::int64_t rows = 0, pixels = 0;
  std::int64_t bytes = 0;       // distance from a visit to the data that it prefetches
  std::int64_t last_bytes = 0;  // `bytes` for the last rows, which prefetch rows of the next parts
  bool soon = false;            // fetch into the first-level cache
};

/// `N` parts of a run, with `count` rows each.
template <class W, Stores S, int N>
class Parts {
  using T = typename W::T;
  using Row = MovedRow<W>;

 public:
  Parts(const PixelRun& run, std::int64_t count, const Ahead& ahead)
      : pixels_(run.pixels), count_(count), ahead_(ahead) {
    for (std::int64_t p = 0; p < N; ++p)
      parts_[p] = {reinterpret_cast<const T*>(run.from.data + p * count * run.stride),
                   reinterpret_cast<T*>(run.to.data) + p * count * pixels_ * W::kOut,
                   run.from.strides.channel, run.to.strides.channel};
    in_stride_ = run.stride / std::int64_t{sizeof(T)};
  }

  /// Prefetches the first rows of each part, because no earlier call of move() has prefetched them.
  void fetch_first() const {
    for (const Row& part : parts_)
      for (std::int64_t y = 0; y < ahead_.rows; ++y)
        for (std::int64_t i = 0; i < ahead_.pixels; i += kStep)
          nth(part, in_order(y)).fetch(W::kMirror ? pixels_ - kStep - i : i, 0, ahead_.soon);
  }

  /// Moves all rows in ascending order of the source addresses, because hardware prefetchers follow
  /// ascending addresses.
  HWY_NOINLINE void move() {
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::int64_t y = in_order(i), after = in_order(i + 1);
      for (int p = 0; p < N; ++p) {
        rows_[p] = nth(parts_[p], y);
        if (S != Stores::Normal && i + 1 < count_) nth(parts_[p], after).claim_pages(pixels_);
      }
      begin_rows(y);
      const std::int64_t bytes = i + ahead_.rows < count_ ? ahead_.bytes : ahead_.last_bytes;
      ahead_.soon ? visits<true>(bytes) : visits<false>(bytes);
      for (int p = 0; p < N; ++p) end_row(p, y);
    }
  }

 private:
  static constexpr std::int64_t kStep = Row::kStep;

  /// Returns the index of the row to move in step `i`. Source addresses ascend from step to step.
  std::int64_t in_order(std::int64_t i) const { return in_stride_ < 0 ? count_ - 1 - i : i; }

  Row nth(const Row& first, std::int64_t y) const {
    return {first.in + y * in_stride_, first.out + y * pixels_ * W::kOut, first.in_plane,
            first.out_plane};
  }
  bool ends_in_line(int p) const { return (pixels_ - done_[p]) % kStep == 0; }

  void begin_rows(std::int64_t y) {
    if constexpr (S == Stores::Normal) return;
    for (int p = 0; p < N; ++p) {
      done_[p] = std::min(pixels_, rows_[p].first_line());
      if (y == 0) rows_[p].move_some(0, 0, done_[p]);
      if (y + 1 == count_ || ends_in_line(p)) continue;
      seams_[p].fill(rows_[p], pixels_, nth(rows_[p], 1));
      rows_[p].fetch(0, 2 * ahead_.bytes, ahead_.soon);  // the source of the next seam
    }
  }

  /// Moves whole visits, equally many of each of the N rows, until one of the rows has no whole
  /// visit left. The function must be inlined: if it was not, flips of float32 pixels took 1.05 to
  /// 1.08 times as long.
  template <bool Soon>
  HWY_INLINE void visits(std::int64_t bytes_ahead) {
    Row rows[N];
    std::int64_t pixels = pixels_ / kStep * kStep;
    for (int p = 0; p < N; ++p) {
      rows[p] = rows_[p].from(done_[p]);
      rows_[p].template fetch<Soon>(W::kMirror ? 0 : pixels_ - kStep, bytes_ahead);
      pixels = std::min(pixels, (pixels_ - done_[p]) / kStep * kStep);
    }
    for (std::int64_t i = 0; i < pixels; i += kStep)
      visit_each<Soon>(rows, W::kMirror ? pixels - kStep - i : i, bytes_ahead);
    for (int p = 0; p < N; ++p) done_[p] += pixels;
  }
  template <bool Soon>
  static HWY_INLINE void visit_each(const Row (&rows)[N], std::int64_t i,
                                    std::int64_t bytes_ahead) {
    if constexpr (kLongVisit<W>) {
      for (const Row& row : rows) visit_one<Soon>(row, i, bytes_ahead);
    } else {  // unrolled: fewer instructions per visit, so that more lines are in flight
      HWY_UNROLL(8)
      for (const Row& row : rows) visit_one<Soon>(row, i, bytes_ahead);
    }
  }
  template <bool Soon>
  static HWY_INLINE void visit_one(const Row& row, std::int64_t i, std::int64_t bytes_ahead) {
    row.template fetch<Soon>(i, bytes_ahead);
    row.template move<S>(i);
    // Without this fence, the compiler groups the prefetches of several rows. That was about a
    // seventh slower on Emerald Rapids.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  /// Moves the rest of a row, together with the pixels of the next row in the same cache line.
  HWY_INLINE void end_row(int p, std::int64_t y) {
    std::int64_t done = done_[p];
    for (; done + kStep <= pixels_; done += kStep) rows_[p].template move_one<S>(done);
    done_[p] = 0;
    if (done == pixels_) return;
    if (S != Stores::Normal && y + 1 < count_)
      return seams_[p].store(rows_[p].from(done), pixels_ - done);
    rows_[p].move_some(pixels_ - kStep, done, pixels_ - done);
  }

  const std::int64_t pixels_, count_;
  const Ahead ahead_;
  std::int64_t in_stride_;
  Row parts_[N], rows_[N];     // first row of each part; rows that are moved now
  std::int64_t done_[N] = {};  // pixels of each of `rows_` already moved
  Seam<W> seams_[N];
};

/// Returns `rows` rows of a run, from row `first` on.
template <class W>
PixelRun rows_of(PixelRun run, std::int64_t first, std::int64_t rows) {
  run.from.data += first * run.stride;
  run.to.data += first * run.pixels * W::kOut * std::int64_t{sizeof(typename W::T)};
  run.rows = rows;
  return run;
}

/// Returns the number of rows of a part: enough for 16 KiB of the source. A few more rows are added
/// if the parts would otherwise reach the ends of source pages at the same time, where they would
/// wait for memory together.
HWY_INLINE std::int64_t rows_of_part(std::int64_t stride) {
  constexpr std::int64_t kSeveral = 8, kApart = 512;  // rows; bytes
  const std::int64_t bytes = std::max<std::int64_t>(1, std::abs(stride)),
                     least = (4 * kPrefetchReach + bytes - 1) / bytes;
  for (std::int64_t rows = least; rows < least + kSeveral; ++rows)
    if ((rows * bytes + kApart) % kPrefetchReach >= 2 * kApart) return rows;
  return least;
}

/// Moves the rows in kMany parts side by side, and the remaining rows in order.
template <class W, Stores S>
void move_rows(const PixelRun& run) {
  constexpr std::int64_t kMany = kParts<W>;
  const std::int64_t stride = std::abs(run.stride), most = rows_of_part(run.stride);
  const std::int64_t row = run.pixels * W::kIn * std::int64_t{sizeof(typename W::T)};
  const auto at = [&](std::int64_t done, std::int64_t rows) {
    return rows_of<W>(run, run.stride < 0 ? run.rows - done - rows : done, rows);
  };
  std::int64_t done = 0;
  while (run.rows - done >= kMany) {
    const std::int64_t count = std::min(most, (run.rows - done) / kMany);
    const std::int64_t ahead = std::min(count, (kPrefetchReach / 2 + row - 1) / row);
    Parts<W, S, kMany> parts(at(done, kMany * count), count,
                             {.rows = ahead,
                              .pixels = run.pixels,
                              .bytes = ahead * stride,
                              .last_bytes = (ahead + (kMany - 1) * count) * stride});
    if (done == 0) parts.fetch_first();
    parts.move();
    done += kMany * count;
  }
  const std::int64_t rest = run.rows - done;
  if (rest > 0) Parts<W, S, 1>(at(done, rest), rest, {.bytes = stride}).move();
}

/// Moves a long row in parts. The remaining pixels are moved last, as a part of their own.
template <class W, Stores S>
void move_row(PixelRun run) {
  using T = typename W::T;
  constexpr auto size = std::int64_t{sizeof(T)};
  constexpr std::int64_t kIn = W::kIn * (W::kMirror ? -1 : 1) * size;
  constexpr std::int64_t kMany = kParts<W>;
  constexpr std::int64_t kSoon = kFetchAhead / kLine * kVisit<T>;  // pixels
  const Ahead ahead{.rows = 1,
                    .pixels = kSoon,
                    .bytes = std::abs(kSoon * kIn),
                    .last_bytes = std::abs(kSoon * kIn),
                    .soon = true};
  const std::int64_t all = run.pixels;
  const std::int64_t part =
      part_bytes((all - kVisit<T>) / kMany * size, part_phase({}, run.to.data)) / size;
  if (part > 0) {
    run.pixels = part;
    run.stride = part * kIn;
    Parts<W, S, kMany> parts(run, 1, ahead);
    parts.fetch_first();
    parts.move();
    run = rows_of<W>(run, kMany, 1);
    run.pixels = all - kMany * part;
  }
  Parts<W, S, 1>(run, 1, ahead).move();
}

template <class W, Stores S>
void move_run(const PixelRun& run) {
  run.rows > 1 ? move_rows<W, S>(run) : move_row<W, S>(run);
}

template <class W>
bool move_as(const PixelRun& run, Stores stores) {
  using T = typename W::T;
  if (run.pixels < kVisit<T>) return false;
  if (kScalar || stores == Stores::Normal) {
    move_run<W, Stores::Normal>(run);
    return true;
  }
  const MovedRow<W> first{nullptr, reinterpret_cast<T*>(run.to.data), 0, 0};
  const bool alike = W::kOut == W::kChannels || run.to.strides.channel % kVisit<T> == 0;
  if (!alike || first.first_line() > kVisit<T>) return false;
  move_run<W, kPastCache>(run);
  return true;
}

/// Moves pixels of three or four channels.
template <class T, int C>
bool move_channels(const PixelRun& run, Stores stores) {
  const PixelStrides f = run.from.strides, t = run.to.strides;
  const bool from_pixels = f.channel == 1 && (f.pixel == C || f.pixel == -C);
  const bool to_pixels = t.channel == 1 && t.pixel == C;
  if ((!from_pixels && f.pixel != 1 && f.pixel != -1) || (!to_pixels && t.pixel != 1)) return false;
  if (from_pixels && to_pixels)  // mirrored; move_pixels() copies pixels that are not mirrored
    return move_as<Way<T, C, true, true, true>>(run, stores);
  if (from_pixels)
    return f.pixel < 0 ? move_as<Way<T, C, true, false, true>>(run, stores)
                       : move_as<Way<T, C, true, false, false>>(run, stores);
  if (!to_pixels) return false;
  return f.pixel < 0 ? move_as<Way<T, C, false, true, true>>(run, stores)
                     : move_as<Way<T, C, false, true, false>>(run, stores);
}

/// Moves pixels of four channels, and mirrors pixels of one channel.
template <class T>
bool move_elements(const PixelRun& run, Stores stores) {
  if (run.channels == 4) return move_channels<T, 4>(run, stores);
  if (run.channels != 1 || run.from.strides.pixel != -1 || run.to.strides.pixel != 1) return false;
  return move_as<Way<T, 1, false, false, true>>(run, stores);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
