#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/sub_div_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <class Operation>
RunFunction pick(DType dtype) {
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

RunFunction pick_sub(DType dtype) { return pick<Subtract>(dtype); }
RunFunction pick_div(DType dtype) { return pick<Divide>(dtype); }

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_sub);
HWY_EXPORT(pick_div);

RunFunction sub_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_sub)(dtype); }
RunFunction div_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_div)(dtype); }

}  // namespace normbench
#endif
