/// Prefetches: loads that start before the data is used.
#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace normbench {

/// Hardware prefetchers stop at every multiple of this number of bytes, even in larger pages.
constexpr std::int64_t kPrefetchReach = 4096;  // bytes

/// The number of parts in which a run is computed past the cache, a line of each in turn. With a
/// single part, memory would idle at the end of every page.
constexpr std::int64_t kParts = 8;

/// How far each part fetches ahead, into the first-level cache. There, loads and stores past the
/// cache wait for the same few buffers, and a waiting load delays all later ones. On Emerald
/// Rapids, uint8 became float16 1.06 times as fast as with fetches into the second level.
constexpr std::int64_t kFetchAhead = 256;  // bytes

/// Returns true if loads from `in` would wait for earlier stores to `out` because the lower 12 bits
/// of the addresses match. This happens if `in` starts, within its page, at most 256 bytes before
/// `out` or less than 64 bytes after it. Zen 4 then copied 1.7 times slower.
inline bool lie_alike(const void* in, const void* out) {
  constexpr std::uintptr_t before = 256, behind = 64;
  const auto apart = reinterpret_cast<std::uintptr_t>(in) - reinterpret_cast<std::uintptr_t>(out);
  return (apart + before) % kPrefetchReach < before + behind;
}

/// Returns the distance in bytes from the start of a part to the start of the next one, modulo the
/// page size. If all parts ended their pages at the same time, they would wait together: copies
/// took 1.06 times as long on Emerald Rapids. The result is the first of three multiples of a cache
/// line with which no input lies like the previous part's output (lie_alike()). Each input excludes
/// at most one of the three.
inline std::int64_t part_phase(std::initializer_list<const void*> inputs, const void* out) {
  for (const std::int64_t phase : {3392, 704}) {
    const auto is_alike = [&](const void* in) {
      return lie_alike(static_cast<const std::byte*>(in) + phase, out);
    };
    if (std::ranges::none_of(inputs, is_alike)) return phase;
  }
  return 2432;
}

/// Returns the bytes from one part to the next if a part may have up to `most` bytes; 0 if `most`
/// is too small.
constexpr std::int64_t part_bytes(std::int64_t most, std::int64_t phase) {
  return most < phase ? 0 : (most - phase) / kPrefetchReach * kPrefetchReach + phase;
}

/// Starts to load the cache line of an address into the second-level cache. The address may be
/// invalid. The first level can wait for fewer lines at once: with fetches into it, Zen 4 copied a
/// quarter slower.
HWY_INLINE void fetch_line(const void* address) {
  __builtin_prefetch(address, 0, 2);
  asm volatile("");  // else GCC assumes that a function with only this has no effect
}

/// Starts to load the cache line of an address into the first-level cache. The address may be
/// invalid.
HWY_INLINE void fetch_line_soon(const void* address) {
  __builtin_prefetch(address, 0, 3);
  asm volatile("");  // see fetch_line()
}

/// Starts to translate the address of a page that will be stored to. A store past the cache would
/// wait for the translation, and all later instructions with it.
HWY_INLINE void claim_page(const void* address) {
  // Not __builtin_prefetch: for most instruction sets GCC turns it into a prefetch for reading.
  if constexpr (HWY_ARCH_X86 != 0)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const std::byte*>(address)));
}

/// Calls fetch_line_soon() for each cache line of `bytes` bytes.
HWY_INLINE void fetch_lines_soon(const void* first, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64)
    fetch_line_soon(static_cast<const std::byte*>(first) + at);
}

/// Calls fetch_line() for each cache line of `bytes` bytes.
HWY_INLINE void fetch_lines(const void* first, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64)
    fetch_line(static_cast<const std::byte*>(first) + at);
}

}  // namespace normbench
