/// The profile pass: a few recorded iterations of each case, for the table and the trace only.
#pragma once

#include "measure/device_tracing.h"
#include "measure/runner.h"

namespace normbench {

/// Profiles every case of the group that is ok, measured or not, and fills `result.profile`; what
/// peers do is not seen here. Errors become notes of the case, and so does a tracer that fails: the
/// case is then profiled without it. False when interrupted, with `result.profile` untouched.
bool profile_group(const Plan& plan, std::size_t index, RunContext& context, DeviceTracing& tracing,
                   GroupResult& result);

}  // namespace normbench
