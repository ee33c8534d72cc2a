#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/cast_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

template <DType From, DType To, Stores S>
void convert(const Run& run, const float*, const float*) {
  uniform<From, To, S>(run, Identity());
}

RunFunction pick_cast(DType from, DType to, Stores stores) {
  return with_fixed(from, [=]<DType From>(Fixed<From>) {
    return with_fixed(to, [=]<DType To>(Fixed<To>) -> RunFunction {
      if (stores == Stores::NonTemporal) return &convert<From, To, kPastCache>;
      return &convert<From, To, Stores::Normal>;
    });
  });
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
