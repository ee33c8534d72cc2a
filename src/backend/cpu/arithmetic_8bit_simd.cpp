#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/arithmetic_8bit_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

RunFunction pick_fma_8bit(DType from, DType to, Stores stores) {
  return with_fixed(from, [=]<DType From>(Fixed<From>) {
    return with_fixed(to, [=]<DType To>(Fixed<To>) -> RunFunction {
      if constexpr (is_float(From) == is_float(To))
        return nullptr;
      else if (stores == Stores::NonTemporal)
        return &per_channel<From, To, kPastCache, MultiplyAdd>;
      else
        return &per_channel<From, To, Stores::Normal, MultiplyAdd>;
    });
  });
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_fma_8bit);

RunFunction fma_function_8bit(DType from, DType to, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_fma_8bit)(from, to, stores);
}

}  // namespace normbench
#endif
