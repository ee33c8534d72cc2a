/// The steps of one case's profile: run as the schedule says, recorded or thrown away.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/contender.h"
#include "measure/device_tracing.h"
#include "measure/runner.h"
#include "measure/stage_profile.h"

namespace normbench {

/// What was recorded, and what was thrown away.
struct ProfiledSteps {
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices;  // one per cycle; none without a device
  std::vector<double> step_ns;       // of the recorded steps
  std::int64_t discarded = 0;        // warm-up steps
  ProfileCounters counters;
  StageProfile::Faults faults;
};

/// Runs all steps of the schedule. Those for warm-up are recorded too, as they cost the same then,
/// and dropped; all that are not kept lie inside a range `warmup`. Device work is traced with
/// `traced`, else timed between marks. Nothing when the tracing ended in the middle.
std::optional<ProfiledSteps> run_profiled_steps(Contender& contender, const ProfileOptions& options,
                                                RunContext& context, DeviceTracing& tracing,
                                                bool traced);

}  // namespace normbench
