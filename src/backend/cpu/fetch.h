/// Prefetches, which start to load data into a cache before it is used.
#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace normbench {

/// Hardware prefetchers do not go beyond an address that is a multiple of this number, even within
/// a larger page.
constexpr std::int64_t kPrefetchReach = 4096;  // bytes

/// The number of parts into which a run of contiguous elements is divided if its results are stored
/// past the cache. A loop computes a cache line of each part in turn. With a single part, memory
/// would idle at the end of every page, where the hardware prefetchers stop.
constexpr std::int64_t kParts = 8;

/// The distance at which each part prefetches ahead of its loads, into the first-level cache. A
/// load that misses the first-level cache occupies one of the few buffers that stores past the
/// cache also need. On Emerald Rapids, a conversion of uint8 to float16 was 1.06 times as fast as
/// with prefetches into the second-level cache.
constexpr std::int64_t kFetchAhead = 256;  // bytes

/// Returns true if loads from `in` would wait for earlier stores to `out` because the lower 12 bits
/// of the addresses match. This happens if `in`, counted modulo 4096 bytes, starts at most 256
/// bytes before `out` or less than 64 bytes after it. Copies between such addresses took 1.7 times
/// as long on Zen 4.
inline bool lie_alike(const void* in, const void* out) {
  constexpr std::uintptr_t before = 256, behind = 64;
  const auto apart = reinterpret_cast<std::uintptr_t>(in) - reinterpret_cast<std::uintptr_t>(out);
  return (apart + before) % kPrefetchReach < before + behind;
}

/// Returns the distance in bytes from the start of a part to the start of the next one, modulo the
/// page size. The distance is never 0. With 0, all parts would reach the ends of their pages at the
/// same time and wait for memory together: copies took 1.06 times as long on Emerald Rapids.
///
/// The result is the first of the distances 3392, 704 and 2432 for which lie_alike() is false for
/// each input of a part and the output of the previous part. For one input, lie_alike() is true for
/// at most one of the three distances. So there may be up to two inputs.
inline std::int64_t part_phase(std::initializer_list<const void*> inputs, const void* out) {
  for (const std::int64_t phase : {3392, 704}) {
    const auto is_alike = [&](const void* in) {
      return lie_alike(static_cast<const std::byte*>(in) + phase, out);
    };
    if (std::ranges::none_of(inputs, is_alike)) return phase;
  }
  return 2432;
}

/// Returns the largest distance between parts that is at most `most` bytes and has the remainder
/// `phase` modulo the page size. Returns 0 if there is no such distance.
constexpr std::int64_t part_bytes(std::int64_t most, std::int64_t phase) {
  return most < phase ? 0 : (most - phase) / kPrefetchReach * kPrefetchReach + phase;
}

/// Starts to load the cache line of an address into the second-level cache. The address may be
/// invalid. The first-level cache can wait for fewer lines at once than the second-level cache:
/// with prefetches into the first level, copies on Zen 4 were a quarter slower.
HWY_INLINE void fetch_line(const void* address) {
  __builtin_prefetch(address, 0, 2);
  asm volatile("");  // else GCC assumes that this function has no effect
}

/// Starts to load the cache line of an address into the first-level cache. The address may be
/// invalid.
HWY_INLINE void fetch_line_soon(const void* address) {
  __builtin_prefetch(address, 0, 3);
  asm volatile("");  // see fetch_line()
}

/// Starts to translate the address of a page that will be stored to. Without this, a store past the
/// cache would wait for the translation, and all later instructions would wait for the store.
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
