/// The measure pass of one group: first calls, rounds, staged rounds, checks.
#pragma once

#include <random>

#include "measure/runner.h"

namespace normbench {

/// One block of k rounds in a random cyclic Latin square: every contender once at every position.
/// What a turn leaves behind for the next is dealt as fairly: within the rounds each contender
/// follows every other once if k is even, and none more than twice if k is odd (Williams
/// 1949, "Experimental designs balanced for the estimation of residual effects of treatments").
std::vector<std::vector<int>> latin_square(int k, std::mt19937_64& random);

/// Measures the group; nothing when the run is interrupted. Errors end cases, never the group.
std::optional<GroupResult> measure_group(const Plan& plan, std::size_t index, RunContext& context,
                                         double clock_cost_ns);

}  // namespace normbench
