/// How much the times of two sides differ, and how certain the difference is.
#pragma once

#include "document/statistics.h"

namespace normbench {

/// The times of side `now` over the times of side `base`.
struct Effect {
  Interval ratio;        // with its 95 % interval
  bool covered = false;  // there are enough replicates for the interval of `ratio`
  double p_value = 1;    // one-sided; null hypothesis: the ratio is at most 1 + margin
  int replicates = 0;
};

/// The fewest pairs of runs that give a 95 % interval.
inline constexpr int kFewestPairs = 6;

/// Returns the effect with pairs of runs as replicates: the exponential of the median of `logs`,
/// which are ln(now / base), with its order-statistic interval. `p_value` stays 1, because
/// family_p_values() computes it for all cases together.
Effect effect_of_pairs(const std::vector<double>& logs);

/// Returns the effect with unpaired rounds as replicates: the ratio of the medians. The interval of
/// each side misses its median with a probability of 2.5 %, so the interval of the ratio misses the
/// true ratio with a probability of at most 5 %. If a larger probability is allowed, the interval
/// is narrower. `p_value` is half of the smallest allowed probability with which the interval of
/// the ratio lies above 1 + margin. Autocorrelated rounds count as fewer rounds (time_interval).
Effect effect_of_rounds(const std::vector<double>& base_ns, const std::vector<double>& now_ns,
                        double margin);

}  // namespace normbench
