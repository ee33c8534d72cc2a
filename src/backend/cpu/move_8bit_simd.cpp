#include "backend/cpu/move_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/move_8bit_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/move-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

bool move_elements_of_8bit(const PixelRun& run, Stores stores) {
  return move_elements<std::uint8_t>(run, stores);
}

bool copy_elements(const PixelRun& bytes, Stores stores) {
  return move_as<Way<std::uint8_t, 1, false, false, false>>(bytes, stores);
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(move_elements_of_8bit);

bool move_8bit(const PixelRun& run, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(move_elements_of_8bit)(run, stores);
}

HWY_EXPORT(copy_elements);

bool copy_bytes(const PixelRun& bytes, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(copy_elements)(bytes, stores);
}

}  // namespace normbench
#endif
