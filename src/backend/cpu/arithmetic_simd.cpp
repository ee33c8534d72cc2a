#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/arithmetic_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

RunFunction pick_fma_of_floats(DType from, DType to, Stores stores) {
  return with_fixed(from, [=]<DType From>(Fixed<From>) {
    return with_fixed(to, [=]<DType To>(Fixed<To>) -> RunFunction {
      if constexpr (!is_float(From) || !is_float(To))
        return nullptr;
      else if (stores == Stores::NonTemporal)
        return &per_channel<From, To, kPastCache, MultiplyAdd>;
      else
        return &per_channel<From, To, Stores::Normal, MultiplyAdd>;
    });
  });
}

template <class Operation>
RunFunction pick_same(DType dtype) {
  return with_fixed(dtype, []<DType T>(Fixed<T>) -> RunFunction {
    if constexpr (is_float(T))
      return &per_channel<T, T, Stores::Normal, Operation>;
    else
      return nullptr;
  });
}

RunFunction pick_sub(DType dtype) { return pick_same<Subtract>(dtype); }
RunFunction pick_div(DType dtype) { return pick_same<Divide>(dtype); }

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_fma_of_floats);
HWY_EXPORT(pick_sub);
HWY_EXPORT(pick_div);

RunFunction fma_function(DType from, DType to, Stores stores) {
  if (is_float(from) && is_float(to))
    return HWY_DYNAMIC_DISPATCH(pick_fma_of_floats)(from, to, stores);
  return fma_function_8bit(from, to, stores);
}
RunFunction sub_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_sub)(dtype); }
RunFunction div_function(DType dtype) { return HWY_DYNAMIC_DISPATCH(pick_div)(dtype); }

}  // namespace normbench
#endif
