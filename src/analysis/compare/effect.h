/// How much the times of two sides differ, how sure that is, and what to call it.
#pragma once

#include "document/statistics.h"

namespace normbench {

/// The times of side `now` over the times of side `base`.
struct Effect {
  Interval ratio;        // value; low and high cover at 95 %
  bool covered = false;  // there are enough replicates for that
  double p_value = 1;    // one-sided, for "the ratio is at most 1 + margin"
  int replicates = 0;
};

/// The fewest pairs of runs whose interval covers at 95 %.
inline constexpr int kFewestPairs = 6;

/// Takes pairs of runs as replicates: exp of the median of their `logs`, ln(now / base), with its
/// order-statistic interval. family_p_values decides over all cases what is beyond doubt.
Effect effect_of_pairs(const std::vector<double>& logs);

/// Takes rounds as replicates, unpaired: the ratio of the medians. Each side's interval misses its
/// median in half of the 5 %, so that the ratio's covers at 95 %. p is the smallest level at which
/// the interval clears the margin. Rounds that depend on each other count as fewer (time_interval).
Effect effect_of_rounds(const std::vector<double>& base_ns, const std::vector<double>& now_ns,
                        double margin);

}  // namespace normbench
