/// What a team costs on this machine, and what one thread does without one.
#pragma once

#include "backend/cpu/grain.h"

namespace normbench {

/// Measured on the calling thread and its team when first asked for this many threads, in some
/// 50 ms; the same for all who ask later in this process. Not for use inside a team.
const TeamCosts& team_costs(int threads);

}  // namespace normbench
