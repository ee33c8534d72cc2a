#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/cast_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <DType From, DType To, Stores S>
void convert(const Run& run, const float*, const float*) {
  uniform<From, To, S>(run, Identity());
}

template <DType From, Stores S>
RunFunction convert_to(DType to) {
  switch (to) {
    case DType::UInt8:
      return &convert<From, DType::UInt8, S>;
    case DType::Float16:
      return &convert<From, DType::Float16, S>;
    case DType::BFloat16:
      return &convert<From, DType::BFloat16, S>;
    case DType::Float32:
      return &convert<From, DType::Float32, S>;
  }
  return nullptr;
}

template <Stores S>
RunFunction convert_with(DType from, DType to) {
  switch (from) {
    case DType::UInt8:
      return convert_to<DType::UInt8, S>(to);
    case DType::Float16:
      return convert_to<DType::Float16, S>(to);
    case DType::BFloat16:
      return convert_to<DType::BFloat16, S>(to);
    case DType::Float32:
      return convert_to<DType::Float32, S>(to);
  }
  return nullptr;
}

RunFunction pick_cast(DType from, DType to, Stores stores) {
  if (stores == Stores::NonTemporal) return convert_with<Stores::NonTemporal>(from, to);
  return convert_with<Stores::Normal>(from, to);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_cast);

RunFunction cast_function(DType from, DType to, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_cast)(from, to, stores);
}

}  // namespace normbench
#endif
