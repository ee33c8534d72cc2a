/// Sums of numbers from files, without overflow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace normbench {

/// Returns a + b. A sum above INT64_MAX becomes INT64_MAX, and a sum below -INT64_MAX becomes
/// -INT64_MAX. So the result can be negated without overflow.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -most : most;
  return std::max(sum, -most);
}

}  // namespace normbench
