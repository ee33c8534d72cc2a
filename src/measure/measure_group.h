/// The measure pass of one group: first calls, rounds, staged rounds, checks.
#pragma once

#include <cstddef>
#include <optional>

#include "document/results.h"
#include "measure/runner.h"
#include "plan/plan.h"

namespace normbench {

/// Measures the group; nothing when the run is interrupted. Errors end cases, never the group.
std::optional<GroupResult> measure_group(const Plan& plan, std::size_t index, RunContext& context,
                                         double clock_cost_ns);

}  // namespace normbench
