#include "backend/cpu/group_planes_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/group_planes_bfloat16_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/group_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

GroupFunction pick_bfloat16(Pass pass, Stores stores) {
  return pick_block<DType::BFloat16>(pass, stores);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_bfloat16);

GroupFunction group_function_bfloat16(Pass pass, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_bfloat16)(pass, stores);
}

}  // namespace normbench
#endif
