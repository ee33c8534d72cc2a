/// Measures one group (cases that are compared with each other) in four steps: first calls, rounds,
/// staged turns (turns in which each stage is timed), and checks.
#pragma once

#include <random>

#include "measure/run_context.h"

namespace normbench {

/// The order of the k contenders in a block of k rounds: a random cyclic Latin square, in which
/// every contender is at every position once. It also balances the effects of a turn on the next
/// one. Within the rounds, each contender directly follows every other contender once if k is even,
/// and at most twice if k is odd. Source: Williams 1949, "Experimental designs balanced for the
/// estimation of residual effects of treatments".
class LatinSquare {
 public:
  LatinSquare(int k, std::mt19937_64& random);

  int size() const { return static_cast<int>(labels_.size()); }
  /// Returns the contenders of a round in order. Rows are computed one at a time, because a block
  /// of many contenders is hardly ever run to its end.
  std::vector<int> row(int index) const;

 private:
  std::vector<int> labels_, shifts_;
};

/// Measures the group. Returns nothing when the run is interrupted. An error ends a case, but never
/// the group.
std::optional<GroupResult> measure_group(const Plan& plan, std::size_t index, RunContext& context,
                                         double clock_cost_ns);

/// Prepares the group as measure_group() does, and returns how long its measurement would take.
/// Returns nothing when the run is interrupted or no case can run.
std::optional<GroupForecast> forecast_group(const Plan& plan, std::size_t index,
                                            RunContext& context, double clock_cost_ns);

}  // namespace normbench
