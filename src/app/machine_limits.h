/// What this machine can do at most, measured here and now.
#pragma once

#include "backend/backend.h"
#include "core/json.h"

namespace normbench {

/// Runs the configs of limits_config.h as any other, without writing files; shows progress on
/// stderr. About 10 s on a machine without a GPU. Returns an array of limits
/// (analysis/machine_limits.h); what was not reached when interrupted is not in it.
Json measure_machine_limits(const Backends& backends);

}  // namespace normbench
