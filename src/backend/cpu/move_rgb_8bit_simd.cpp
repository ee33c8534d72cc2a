#include "backend/cpu/move_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/move_rgb_8bit_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/move-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

bool move_rgb_of_8bit(const PixelRun& run, Stores stores) {
  return move_channels<std::uint8_t, 3>(run, stores);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(move_rgb_of_8bit);

bool move_rgb_8bit(const PixelRun& run, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(move_rgb_of_8bit)(run, stores);
}

}  // namespace normbench
#endif
