/// What the threads of a copy do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cuda/access.cuh"

namespace normbench::cuda {

/// Each warp copies 4 rows of 32 units, loads first: a row is contiguous, so a warp's 16-byte
/// stores make whole lines. The bytes before and after the units are copied one by one.
template <class Unit>
struct CopyBody {
  static constexpr std::int64_t rows = 4;

  std::int64_t threads;
  std::byte* to;
  const std::byte* from;
  std::int64_t head, units, tail;  // bytes, units, bytes

  static CopyBody of(void* to, const void* from, std::int64_t bytes) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % sizeof(Unit));
    const std::int64_t size = sizeof(Unit), gap = (size - past) % size;
    const std::int64_t head = gap < bytes ? gap : bytes, units = (bytes - head) / size;
    const std::int64_t tail = bytes - head - units * size, edges = head + tail;
    const std::int64_t copying = (units + 32 * rows - 1) / (32 * rows) * 32;
    return {.threads = copying > edges ? copying : edges,
            .to = static_cast<std::byte*>(to),
            .from = static_cast<const std::byte*>(from),
            .head = head,
            .units = units,
            .tail = tail};
  }

  __host__ __device__ void operator()(std::int64_t thread) const {
    Unit held[rows] = {};
    for (int k = 0; k < rows; ++k)
      if (unit(thread, k) < units) held[k] = load(from + offset(thread, k));
    for (int k = 0; k < rows; ++k)
      if (unit(thread, k) < units) store(to + offset(thread, k), held[k]);
    if (thread < head + tail) {
      const std::int64_t i = edge(thread);
      to[i] = from[i];
    }
  }

  /// The unit of a thread in its row `k`.
  __host__ __device__ static std::int64_t unit(std::int64_t thread, int k) {
    return (thread / 32 * rows + k) * 32 + thread % 32;
  }
  /// Where that unit starts, in bytes.
  __host__ __device__ std::int64_t offset(std::int64_t thread, int k) const {
    return head + unit(thread, k) * static_cast<std::int64_t>(sizeof(Unit));
  }
  /// The byte of a thread below head + tail.
  __host__ __device__ std::int64_t edge(std::int64_t thread) const {
    return thread < head ? thread : thread + units * static_cast<std::int64_t>(sizeof(Unit));
  }

 private:
  __host__ __device__ static Unit load(const std::byte* address) {
    if constexpr (sizeof(Unit) == sizeof(Vector16))
      return load16(address);
    else
      return *reinterpret_cast<const Unit*>(address);
  }
  __host__ __device__ static void store(std::byte* address, const Unit& unit) {
    if constexpr (sizeof(Unit) == sizeof(Vector16))
      store16(address, unit, false);
    else
      *reinterpret_cast<Unit*>(address) = unit;
  }
};

/// Calls `use` with the body of the largest unit that fits both addresses.
template <class Use>
auto with_copy_body(void* to, const void* from, std::int64_t bytes, Use use) {
  const auto apart = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (apart % sizeof(Vector16) == 0) return use(CopyBody<Vector16>::of(to, from, bytes));
  if (apart % sizeof(std::uint32_t) == 0) return use(CopyBody<std::uint32_t>::of(to, from, bytes));
  return use(CopyBody<std::uint8_t>::of(to, from, bytes));
}

}  // namespace normbench::cuda
