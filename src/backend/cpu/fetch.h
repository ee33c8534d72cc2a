/// Loads ahead of their use.
#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace normbench {

/// Prefetchers of the hardware stop at every 4 KiB, however large the pages are.
constexpr std::int64_t kPrefetchReach = 4096;  // bytes

/// Past the cache, one page after the other leaves memory idle wherever a page ends. So: a line in
/// each of so many places at once.
constexpr std::int64_t kPlaces = 8;

/// True where loads from `in` would soon have the lower 12 bits of a store shortly before them, and
/// wait for it, if places were whole pages apart: input up to 256 bytes before the output in its
/// page, or less than 64 behind. Zen 4 copied 1.7 times slower.
inline bool lie_alike(const void* in, const void* out) {
  constexpr std::uintptr_t before = 256, behind = 64;
  const auto apart = reinterpret_cast<std::uintptr_t>(in) - reinterpret_cast<std::uintptr_t>(out);
  return (apart + before) % kPrefetchReach < before + behind;
}

/// Bytes from one place to the next, where each may have `bytes` at most; 0 where that is too
/// little. Pages that end together keep memory the busiest: up to four whole ones. Where a tensor
/// lies like the output (lie_alike) the largest odd number of half pages.
constexpr std::int64_t place_bytes(std::int64_t bytes, bool alike) {
  constexpr std::int64_t page = kPrefetchReach, most = 4;
  if (!alike) return std::min(most, bytes / page) * page;
  const std::int64_t halves = std::min(2 * most + 1, bytes / (page / 2));
  return halves == 0 ? 0 : ((halves - 1) | 1) * (page / 2);
}

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
