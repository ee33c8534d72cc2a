/// The profile pass records a few iterations of each case. Their times are used only in the
/// profiler table and in the trace, not in comparisons.
#pragma once

#include "measure/device_tracing.h"
#include "measure/run_context.h"

namespace normbench {

/// Profiles every case in the group that has the status Ok, even if it was not timed, and sets
/// `result.profile`. Cases that peers (other programs) run and cases that hung are not profiled. If
/// the device tracer (CUPTI) fails, the case is profiled without it. If profiling a case fails, the
/// case gets a note. Returns false when interrupted, and then does not change `result.profile`.
bool profile_group(const Plan& plan, std::size_t index, RunContext& context, DeviceTracing& tracing,
                   GroupResult& result);

}  // namespace normbench
