#include "backend/cuda/slots.h"

#include <algorithm>

namespace normbench::cuda {
namespace {

constexpr std::int64_t kSlotBytes = 16;
constexpr std::uint32_t kWarpBits = 5;

/// Most elements of a slot that lie before a run's first one.
std::int64_t largest_phase(const Walk& walk, std::uintptr_t address, std::int64_t size) {
  const std::int64_t elements = kSlotBytes / size;
  const bool same = std::ranges::all_of(walk.outer, [&](const Walk::Axis& axis) {
    return axis.extent.divisor == 1 || axis.out % elements == 0;
  });
  return same ? static_cast<std::int64_t>(address % kSlotBytes) / size : elements - 1;
}

}  // namespace

Slots Slots::of(const Walk& walk, std::uintptr_t address, std::int64_t size, std::int32_t most,
                std::int64_t enough_threads) {
  const std::int64_t elements = kSlotBytes / size;
  Slots slots;
  slots.per_run = (largest_phase(walk, address, size) + walk.elements + elements - 1) / elements;
  slots.depth = walk.runs * slots.per_run > enough_threads ? most : 1;
  while (slots.lane_bits < kWarpBits &&
         std::int64_t{slots.depth} << slots.lane_bits < slots.per_run)
    ++slots.lane_bits;
  const std::int64_t chunk = std::int64_t{slots.depth} << slots.lane_bits;
  const std::int64_t chunks = (slots.per_run + chunk - 1) / chunk;
  slots.chunks = Divisor::of(chunks);
  slots.threads = walk.runs * chunks << slots.lane_bits;
  return slots;
}

}  // namespace normbench::cuda
