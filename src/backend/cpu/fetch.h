/// Loads ahead of their use.
#pragma once

#include <hwy/base.h>

#include <cstddef>
#include <cstdint>

namespace normbench {

/// Prefetchers of the hardware stop at every 4 KiB, however large the pages are.
constexpr std::int64_t kPrefetchReach = 4096;  // bytes

/// Starts to load the line of an address, valid or not, into the second-level cache. The first can
/// wait for fewer lines at once: with it, Zen 4 copied a quarter slower.
HWY_INLINE void fetch_line(const void* address) {
  __builtin_prefetch(address, 0, 2);
  asm volatile("");  // else GCC sees a caller that does nothing else as without effect
}

/// Into the first-level cache.
HWY_INLINE void fetch_line_soon(const void* address) {
  __builtin_prefetch(address, 0, 3);
  asm volatile("");  // as above
}

/// Starts to look up where the page of an address is, to be stored to: a store past the cache waits
/// for that, and with it all after it.
HWY_INLINE void claim_page(const void* address) {
  // Not __builtin_prefetch: for most instruction sets GCC makes a fetch for reading of it.
  if constexpr (HWY_ARCH_X86 != 0)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const std::byte*>(address)));
}

/// fetch_line for each line of so many bytes.
HWY_INLINE void fetch_lines(const void* first, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64)
    fetch_line(static_cast<const std::byte*>(first) + at);
}

}  // namespace normbench
