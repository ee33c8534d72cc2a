/// Sums of numbers that come from files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace normbench {

/// a + b, and the largest number of that sign where the sum is beyond it. Its negative is a number.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -most : most;
  return std::max(sum, -most);
}

}  // namespace normbench
