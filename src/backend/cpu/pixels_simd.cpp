#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pixels_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/load_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

// Tiles leave memory idle while their channels are taken apart. So: a few lines at a time.
constexpr std::int64_t kVisit = 64;          // pixels: whole lines of every channel
constexpr std::int64_t kSoon = 24 * kVisit;  // fetched so many pixels before: more than a page

using Channel = OneChannel<MultiplyAdd>;

/// The channels apart, then each through the same instructions as a run of its own.
template <DType To, Stores S, class Function>
HWY_INLINE void visit(const std::uint8_t* in, Storage<To>* out, std::int64_t plane,
                      const Function (&f)[3]) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN std::uint8_t apart[3][kVisit];
  for (std::int64_t i = 0; i < kVisit; i += lanes) {
    hn::Vec<decltype(d)> v[3];
    load_pixels(d, in + 3 * i, v);
    for (int c = 0; c < 3; ++c) hn::Store(v[c], d, apart[c] + i);
  }
  constexpr int kVectors = vectors_per_chunk<DType::UInt8, To>();
  const auto chunk_elements = kVectors * static_cast<std::int64_t>(hn::Lanes(F()));
  for (int c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < kVisit; i += chunk_elements)
      chunk<DType::UInt8, To, S, kVectors>(apart[c] + i, out + c * plane + i, f[c]);
}

template <DType To, Stores S, class Function>
HWY_INLINE std::int64_t to_planes(const PixelRun& run, const Function (&f)[3]) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(run.in);
  auto* out = reinterpret_cast<Storage<To>*>(run.out);
  if constexpr (S == Stores::NonTemporal)
    for (int c = 0; c < 3; ++c)
      if (reinterpret_cast<std::uintptr_t>(out + c * run.plane) % 64 != 0) return 0;
  std::int64_t done = 0;
  for (; done + kVisit <= run.pixels; done += kVisit) {
    if constexpr (S == Stores::NonTemporal) fetch(in + 3 * (done + kSoon), 3 * kVisit);
    visit<To, S>(in + 3 * done, out + done, run.plane, f);
  }
  return done;
}

template <DType To, Stores S>
std::int64_t pixels_to_planes(const PixelRun& run, const float* a, const float* b) {
  const Channel f[3] = {{a, b}, {a + 1, b + 1}, {a + 2, b + 2}};
  if constexpr (kLooksUp<DType::UInt8, To>)
    if (run.pixels >= kWorthATable) {
      using Table = LookedUp<To, Channel>;
      const Table tables[3] = {Table(f[0]), Table(f[1]), Table(f[2])};
      return to_planes<To, S>(run, tables);
    }
  return to_planes<To, S>(run, f);
}

template <DType To>
PixelFunction pixels_with(Stores stores) {
  if (stores == Stores::NonTemporal) return &pixels_to_planes<To, Stores::NonTemporal>;
  return &pixels_to_planes<To, Stores::Normal>;
}

PixelFunction pick_pixels(DType to, Stores stores) {
  if (kScalar) return nullptr;
  switch (to) {
    case DType::UInt8:
      return nullptr;
    case DType::Float16:
      return pixels_with<DType::Float16>(stores);
    case DType::BFloat16:
      return pixels_with<DType::BFloat16>(stores);
    case DType::Float32:
      return pixels_with<DType::Float32>(stores);
  }
  return nullptr;
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
