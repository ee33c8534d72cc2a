#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/interleave_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/load_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

/// Converts three planes of floats to interleaved pixels of bytes. Elements are first converted to
/// bytes and then moved. Without this class, walk() would move them as floats, which have two or
/// four times as many bytes.
template <DType From>
class Interleaved {
  using T = Storage<From>;
  using D = hn::ScalableTag<std::uint8_t>;

 public:
  HWY_INLINE Interleaved(const T* in, std::int64_t plane, const float* a, const float* b)
      : in_(in), plane_(plane), f_{{a, b}, {a + 1, b + 1}, {a + 2, b + 2}} {}

  static constexpr std::int64_t kVisit = 64;  // pixels of a visit(); their bytes fill cache lines

  /// Converts kVisit pixels. For non-temporal stores, `out` must be the start of a cache line.
  template <Stores S>
  HWY_INLINE void visit(std::int64_t pixel, std::uint8_t* out) const {
    const D d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    HWY_ALIGN std::uint8_t apart[3][kVisit];
    take(pixel, apart);
    if constexpr (kPicksBytes) {
      hn::Vec<D> v[3] = {hn::Load(d, apart[0]), hn::Load(d, apart[1]), hn::Load(d, apart[2])};
      reorder_pixels<false, true, false>(d, v);
      for (int i = 0; i < 3; ++i) put<S>(d, v[i], out + i * lanes);
    } else if constexpr (S == Stores::NonTemporal) {
      HWY_ALIGN std::uint8_t pixels[3 * kVisit];
      visit<Stores::Normal>(pixel, pixels);
      for (std::int64_t i = 0; i < 3 * kVisit; i += lanes)
        put<S>(d, hn::Load(d, pixels + i), out + i);
    } else {
      for (std::int64_t i = 0; i < kVisit; i += lanes)
        hn::StoreInterleaved3(hn::Load(d, apart[0] + i), hn::Load(d, apart[1] + i),
                              hn::Load(d, apart[2] + i), d, out + 3 * i);
    }
  }

  /// Converts the kVisit pixels from `pixel` on, but stores only `count` of them, starting with
  /// number `first`.
  void some(std::int64_t pixel, std::int64_t first, std::int64_t count, std::uint8_t* out) const {
    HWY_ALIGN std::uint8_t pixels[3 * kVisit];
    visit<Stores::Normal>(pixel, pixels);
    std::memcpy(out, pixels + 3 * first, static_cast<std::size_t>(3 * count));
  }

  /// Prefetches the input of the visit at `pixel`.
  HWY_INLINE void fetch(std::int64_t pixel) const {
    for (int c = 0; c < 3; ++c)
      fetch_lines(in_ + c * plane_ + pixel, kVisit * std::int64_t{sizeof(T)});
  }

 private:
  /// Converts kVisit pixels to bytes, with one array for each channel. Uses the same instructions
  /// as a kernel that computes a Run of a single channel, so that both give the same values.
  HWY_INLINE void take(std::int64_t pixel, std::uint8_t (&apart)[3][kVisit]) const {
    constexpr int kVectors = vectors_per_chunk<From, DType::UInt8>();
    const auto elements = kVectors * static_cast<std::int64_t>(hn::Lanes(F()));
    for (int c = 0; c < 3; ++c)
      for (std::int64_t i = 0; i < kVisit; i += elements)
        chunk<From, DType::UInt8, Stores::Normal, kVectors>(in_ + c * plane_ + pixel + i,
                                                            apart[c] + i, f_[c]);
  }

  const T* in_;
  const std::int64_t plane_;
  const OneChannel<MultiplyAdd> f_[3];
};

/// Converts pixels in blocks. A block has two halves ("places"), each with 16 KiB of every plane.
/// Calls of visit() alternate between the two places. Before each call, the pixels one block
/// further on are prefetched. Returns the first pixel that is not done. On one thread of Zen 4,
/// visits in the order of the pixels, with prefetches a page ahead, took a tenth longer.
template <DType From>
HWY_INLINE std::int64_t interleave_places(const Interleaved<From>& row, std::int64_t begin,
                                          std::int64_t pixels, std::uint8_t* out) {
  constexpr std::int64_t place = 16384 / std::int64_t{sizeof(Storage<From>)}, both = 2 * place;
  std::int64_t done = begin;
  for (; done + both <= pixels; done += both)
    for (std::int64_t i = done; i < done + place; i += Interleaved<From>::kVisit)
      for (const std::int64_t at : {i, i + place}) {
        row.fetch(at + both);
        row.template visit<Stores::NonTemporal>(at, out + 3 * at);
      }
  return done;
}

/// Converts a row. Non-temporal stores begin at the first pixel at which a cache line of the output
/// starts.
template <DType From, Stores S>
void interleave_row(const Interleaved<From>& row, std::int64_t pixels, std::uint8_t* out) {
  constexpr std::int64_t kVisit = Interleaved<From>::kVisit;
  constexpr std::int64_t kAhead = 4608 / std::int64_t{sizeof(Storage<From>)};  // in elements
  std::int64_t done = 0;
  if constexpr (S != Stores::Normal) {
    constexpr std::uintptr_t kThird = 43;  // inverse of 3 modulo 64: 3 * 43 = 2 * 64 + 1
    const std::uintptr_t before = std::uintptr_t{0} - reinterpret_cast<std::uintptr_t>(out);
    done = static_cast<std::int64_t>(before * kThird % kVisit);
    if (done > 0) row.some(0, 0, done, out);
    done = interleave_places(row, done, pixels, out);
  }
  for (; done + kVisit <= pixels; done += kVisit) {
    row.fetch(done + kAhead);
    row.template visit<S>(done, out + 3 * done);
  }
  const std::int64_t rest = pixels - done;
  if (rest > 0) row.some(pixels - kVisit, kVisit - rest, rest, out + 3 * done);
}

template <DType From, Stores S>
bool interleave(const PixelRun& run, const float* a, const float* b) {
  const PixelStrides from = run.from.strides, to = run.to.strides;
  if (run.channels != 3 || from.pixel != 1 || to.pixel != 3 || to.channel != 1 ||
      run.pixels < Interleaved<From>::kVisit)
    return false;
  for (std::int64_t y = 0; y < run.rows; ++y) {
    const auto* in = reinterpret_cast<const Storage<From>*>(run.from.data + y * run.stride);
    auto* out = reinterpret_cast<std::uint8_t*>(run.to.data) + y * run.pixels * 3;
    interleave_row<From, S>({in, from.channel, a, b}, run.pixels, out);
  }
  return true;
}

PixelFunction pick_interleave(DType from, Stores stores) {
  return for_floats<PixelFunction>(from, stores, []<DType From, Stores S>() -> PixelFunction {
    if constexpr (kScalar)
      return nullptr;
    else
      return &interleave<From, S>;
  });
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_interleave);

PixelFunction interleave_function(DType from, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_interleave)(from, stores);
}

}  // namespace normbench
#endif
