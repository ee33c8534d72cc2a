#include "ops/random.h"

#include <algorithm>
#include <cstring>

namespace normbench {
namespace {

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t word(std::uint64_t state, std::uint64_t index) {
  return mixed(state + (index + 1) * 0x9E3779B97F4A7C15u);
}

}  // namespace

void random_bytes(std::uint64_t seed, std::int64_t first, std::span<std::uint8_t> out) {
  const std::uint64_t state = mixed(seed);
  auto index = static_cast<std::uint64_t>(first) / 8;
  auto skip = static_cast<std::size_t>(first) % 8;
  while (!out.empty()) {
    const std::uint64_t value = word(state, index++);
    const std::size_t count = std::min(out.size(), 8 - skip);
    if (count == 8)
      std::memcpy(out.data(), &value, 8);
    else
      std::memcpy(out.data(), reinterpret_cast<const char*>(&value) + skip, count);
    out = out.subspan(count);
    skip = 0;
  }
}

}  // namespace normbench
