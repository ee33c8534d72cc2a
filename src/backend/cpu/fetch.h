/// Loads ahead of their use.
#pragma once

#include <hwy/base.h>

namespace normbench {

/// Starts to load the line of an address, valid or not, into the second-level cache. The first can
/// wait for fewer lines at once: with it, Zen 4 copied a quarter slower. (Inline by force: GCC 12
/// sees no effect in a call of it and leaves it out.)
HWY_INLINE void fetch_line(const void* address) { __builtin_prefetch(address, 0, 2); }

}  // namespace normbench
