#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/arithmetic_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <DType From, DType To>
RunFunction fma_with(Stores stores) {
  if (stores == Stores::NonTemporal)
    return &per_channel<From, To, Stores::NonTemporal, MultiplyAdd>;
  return &per_channel<From, To, Stores::Normal, MultiplyAdd>;
}

template <DType From>
RunFunction fma_to(DType to, Stores stores) {
  switch (to) {
    case DType::UInt8:
      return nullptr;
    case DType::Float16:
      return fma_with<From, DType::Float16>(stores);
    case DType::BFloat16:
      return fma_with<From, DType::BFloat16>(stores);
    case DType::Float32:
      return fma_with<From, DType::Float32>(stores);
  }
  return nullptr;
}

RunFunction pick_fma(DType from, DType to, Stores stores) {
  switch (from) {
    case DType::UInt8:
      return fma_to<DType::UInt8>(to, stores);
    case DType::Float16:
      return fma_to<DType::Float16>(to, stores);
    case DType::BFloat16:
      return fma_to<DType::BFloat16>(to, stores);
    case DType::Float32:
      return fma_to<DType::Float32>(to, stores);
  }
  return nullptr;
}

template <class Operation>
RunFunction pick_same(DType dtype) {
  switch (dtype) {
    case DType::UInt8:
      return nullptr;
    case DType::Float16:
      return &per_channel<DType::Float16, DType::Float16, Stores::Normal, Operation>;
    case DType::BFloat16:
      return &per_channel<DType::BFloat16, DType::BFloat16, Stores::Normal, Operation>;
    case DType::Float32:
      return &per_channel<DType::Float32, DType::Float32, Stores::Normal, Operation>;
  }
  return nullptr;
}

RunFunction pick_sub(DType dtype) { return pick_same<Subtract>(dtype); }
RunFunction pick_div(DType dtype) { return pick_same<Divide>(dtype); }

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_fma);
HWY_EXPORT(pick_sub);
HWY_EXPORT(pick_div);

RunFunction fma_function(DType from, DType to, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_fma)(from, to, stores);
}
RunFunction sub_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_sub)(dtype); }
RunFunction div_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_div)(dtype); }

}  // namespace normbench
#endif
