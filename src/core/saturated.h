/// Sums of numbers that come from files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace normbench {

/// a + b. Beyond the range it is the largest number of that sign; its negative is a number, too.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -most : most;
  return std::max(sum, -most);
}

}  // namespace normbench
