/// What an experiment says about its outcome: the baseline, published figures, claims.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/sweep.h"

namespace normbench {

// Each reads its members of an experiment for a group whose cases are known; names of variants
// become names of cases. Mistakes go to the reader's issues.

void read_baseline(Reader& experiment, Group& group);

/// Keeps the entries of the group's point.
void read_published(Reader& experiment, const std::vector<Axis>& sweep,
                    const std::vector<Axis>& vary, Group& group);

void read_claims(Reader& experiment, Group& group);

}  // namespace normbench
