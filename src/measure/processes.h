/// Several processes' rounds of one group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "document/results.h"
#include "measure/runner.h"
#include "plan/plan.h"

namespace normbench {

/// Measures the group in `measure.processes` fresh processes, one after another, each with its
/// share of the time. Nothing when the run is interrupted.
std::optional<GroupResult> measure_in_processes(const Plan& plan, std::size_t index,
                                                RunContext& context);

/// Appends a later part's rounds, which started `offset_ns` after the first part's. A case that
/// failed in either has failed; errors and bounds are the larger ones.
void append_part(GroupResult& group, GroupResult part, std::int64_t offset_ns);

}  // namespace normbench
