#include "analysis/compare/effect.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace normbench {
namespace {

constexpr double kMiss = 0.05;  // probability that an interval misses the true value
// The smallest probability `miss` that p_of_medians() tries. With a smaller one, rounding errors in
// 1 - miss would matter.
constexpr double kSmallest = 1e-12;

/// Returns the ratio of two medians. Its interval misses the true ratio with a probability of at
/// most `miss`: half of it for each median.
Interval ratio_of_medians(const std::vector<double>& base, const std::vector<double>& now,
                          double miss) {
  const Interval of_base = time_interval(base, 1 - miss / 2);
  const Interval of_now = time_interval(now, 1 - miss / 2);
  return {.value = of_now.value / of_base.value,
          .low = of_now.low / of_base.high,
          .high = of_now.high / of_base.low};
}

bool enough(const std::vector<double>& base, const std::vector<double>& now, double miss) {
  return enough_rounds(base, 1 - miss / 2) && enough_rounds(now, 1 - miss / 2);
}

/// Returns a one-sided p-value: half of the smallest `miss` with which the interval of the ratio
/// lies above 1 + margin. Finds this `miss` by bisection. Returns 1 if there is none.
double p_of_medians(const std::vector<double>& base, const std::vector<double>& now,
                    double margin) {
  const auto clears = [&](double miss) {
    return enough(base, now, miss) && ratio_of_medians(base, now, miss).low > 1 + margin;
  };
  double low = std::log(kSmallest), high = 0;
  if (!clears(std::exp(high))) return 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::midpoint(low, high);
    (clears(std::exp(middle)) ? high : low) = middle;
  }
  return std::exp(high) / 2;
}

}  // namespace

Effect effect_of_pairs(const std::vector<double>& logs) {
  const auto pairs = static_cast<int>(logs.size());
  const Interval effect = median_interval(logs, 1 - kMiss);
  return {.ratio = {.value = std::exp(effect.value),
                    .low = std::exp(effect.low),
                    .high = std::exp(effect.high)},
          .covered = median_interval_indices(pairs, 1 - kMiss).has_value(),
          .replicates = pairs};
}

Effect effect_of_rounds(const std::vector<double>& base_ns, const std::vector<double>& now_ns,
                        double margin) {
  return {.ratio = ratio_of_medians(base_ns, now_ns, kMiss),
          .covered = enough(base_ns, now_ns, kMiss),
          .p_value = p_of_medians(base_ns, now_ns, margin),
          .replicates = static_cast<int>(std::min(base_ns.size(), now_ns.size()))};
}

}  // namespace normbench
