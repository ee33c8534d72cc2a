/// The measure pass of one group: first calls, rounds, staged rounds, checks.
#pragma once

#include <random>

#include "measure/run_context.h"

namespace normbench {

/// One block of k rounds, a random cyclic Latin square: every contender is once at every position.
/// Effects of a turn on the next one are balanced too. Within the rounds each contender follows
/// every other once if k is even, and at most twice if k is odd. Source: Williams 1949,
/// "Experimental designs balanced for the estimation of residual effects of treatments".
class LatinSquare {
 public:
  LatinSquare(int k, std::mt19937_64& random);

  int size() const { return static_cast<int>(labels_.size()); }
  /// Returns the contenders of a round in order. A row is made when it is asked for, since a block
  /// of many contenders is hardly ever run to its end.
  std::vector<int> row(int index) const;

 private:
  std::vector<int> labels_, shifts_;
};

/// Measures the group; returns nothing when the run is interrupted. An error ends a case, never the
/// group.
std::optional<GroupResult> measure_group(const Plan& plan, std::size_t index, RunContext& context,
                                         double clock_cost_ns);

/// Prepares the group as measure_group() does, and returns what measuring it would take. Returns
/// nothing when the run is interrupted or no case can run.
std::optional<GroupForecast> forecast_group(const Plan& plan, std::size_t index,
                                            RunContext& context, double clock_cost_ns);

}  // namespace normbench
