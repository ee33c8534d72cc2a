/// The profile pass: a few recorded iterations of each case. Their times are used only in the table
/// and the trace.
#pragma once

#include "measure/device_tracing.h"
#include "measure/run_context.h"

namespace normbench {

/// Profiles every case of the group whose status is ok, even if it was not timed, and sets
/// `result.profile`. Cases of peers are not profiled. Errors become notes of the case. If the
/// tracer fails, the case is profiled without it. Returns false when interrupted; `result.profile`
/// is then unchanged.
bool profile_group(const Plan& plan, std::size_t index, RunContext& context, DeviceTracing& tracing,
                   GroupResult& result);

}  // namespace normbench
