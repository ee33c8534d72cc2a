/// Loads ahead of their use.
#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace normbench {

/// Prefetchers of the hardware stop at every 4 KiB, however large the pages are.
constexpr std::int64_t kPrefetchReach = 4096;  // bytes

/// Past the cache one page after the other leaves memory idle wherever a page ends. So a run is
/// worked on in so many parts, a line of each in turn.
constexpr std::int64_t kParts = 8;

/// How far ahead each part fetches, into the first-level cache: there loads and stores past the
/// cache wait for the same few buffers, and a load that waits holds up all behind it. On Emerald
/// Rapids uint8 became float16 1.06 times as fast as with fetches into the second level.
constexpr std::int64_t kFetchAhead = 256;  // bytes

/// True where loads from `in` would soon have the lower 12 bits of a store shortly before them, and
/// wait for it: input up to 256 bytes before the output in its page, or less than 64 behind. Zen 4
/// copied 1.7 times slower.
inline bool lie_alike(const void* in, const void* out) {
  constexpr std::uintptr_t before = 256, behind = 64;
  const auto apart = reinterpret_cast<std::uintptr_t>(in) - reinterpret_cast<std::uintptr_t>(out);
  return (apart + before) % kPrefetchReach < before + behind;
}

/// Where in its page a part starts, seen from the one before: whole lines. Parts that all end a
/// page at the same time wait together: on Emerald Rapids copies took 1.06 times as long as with
/// any of these. Gives the first of them with which no input lies like the output of the part
/// before; each input rules out one at most.
inline std::int64_t part_phase(std::initializer_list<const void*> inputs, const void* out) {
  for (const std::int64_t phase : {3392, 704}) {
    const auto is_alike = [&](const void* in) {
      return lie_alike(static_cast<const std::byte*>(in) + phase, out);
    };
    if (std::ranges::none_of(inputs, is_alike)) return phase;
  }
  return 2432;
}

/// Bytes from one part to the next where each may have `most`; 0 where that is too little.
constexpr std::int64_t part_bytes(std::int64_t most, std::int64_t phase) {
  return most < phase ? 0 : (most - phase) / kPrefetchReach * kPrefetchReach + phase;
}

/// Starts to load the line of an address, valid or not, into the second-level cache. The first
/// level can wait for fewer lines at once: fetching into it, Zen 4 copied a quarter slower.
HWY_INLINE void fetch_line(const void* address) {
  __builtin_prefetch(address, 0, 2);
  asm volatile("");  // else GCC sees a caller that does nothing else as without effect
}

/// Starts to load the line of an address into the first-level cache.
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

/// fetch_line_soon for each line of so many bytes.
HWY_INLINE void fetch_lines_soon(const void* first, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64)
    fetch_line_soon(static_cast<const std::byte*>(first) + at);
}

/// fetch_line for each line of so many bytes.
HWY_INLINE void fetch_lines(const void* first, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64)
    fetch_line(static_cast<const std::byte*>(first) + at);
}

}  // namespace normbench
