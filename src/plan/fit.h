/// What does not fit in memory is left out before anything runs: no kernel stops to say so when
/// memory that was promised is not there.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// Skips the cases of a group that need more memory than `options.free_bytes`, each by itself;
/// then, while the others need more than that together, the one that needs most.
void skip_too_large_cases(Group& group, Cache cache, const PlanOptions& options);

/// The same for the group's limits, beside its cases: they are left out rather than a case.
void skip_too_large_limits(Group& group, Cache cache, const PlanOptions& options);

}  // namespace normbench
