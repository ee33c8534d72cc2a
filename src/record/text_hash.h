/// Hash functions. With TextHash, sets and maps of strings look up a string_view without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace normbench {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

/// Returns a number that is chosen at random once per process. It is a seed for hashes, so that
/// nobody can make an input file that causes hash collisions.
std::uint64_t hash_seed();

constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  // The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
  std::uint64_t mix = (seed ^ value) + 0x9E3779B97F4A7C15u;
  mix = (mix ^ (mix >> 30)) * 0xBF58476D1CE4E5B9u;
  mix = (mix ^ (mix >> 27)) * 0x94D049BB133111EBu;
  return mix ^ (mix >> 31);
}

}  // namespace normbench
