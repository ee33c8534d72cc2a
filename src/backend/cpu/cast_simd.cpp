#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/cast_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <DType From, DType To>
void convert(const Run& run, const float*, const float*) {
  blocks<From, To, Stores::Normal>(run, Identity());
}

template <DType From>
RunFunction convert_to(DType to) {
  switch (to) {
    case DType::UInt8:
      return &convert<From, DType::UInt8>;
    case DType::Float16:
      return &convert<From, DType::Float16>;
    case DType::BFloat16:
      return &convert<From, DType::BFloat16>;
    case DType::Float32:
      return &convert<From, DType::Float32>;
  }
  return nullptr;
}

RunFunction pick_cast(DType from, DType to) {
  switch (from) {
    case DType::UInt8:
      return convert_to<DType::UInt8>(to);
    case DType::Float16:
      return convert_to<DType::Float16>(to);
    case DType::BFloat16:
      return convert_to<DType::BFloat16>(to);
    case DType::Float32:
      return convert_to<DType::Float32>(to);
  }
  return nullptr;
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_cast);

RunFunction cast_function(DType from, DType to) {
  return HWY_DYNAMIC_DISPATCH(pick_cast)(from, to);
}

}  // namespace normbench
#endif
