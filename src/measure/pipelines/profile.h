/// What the profile pass records of a pipeline.
#pragma once

#include "measure/pipelines/engine.h"
#include "measure/profiled_steps.h"

namespace normbench {

/// What lanes did, sorted by start, while the six items in the middle of a turn were in flight (or
/// all, if there are fewer). Times are ns since the first of these began. The turn has items.
std::vector<LaneWork> middle_work(const Flow& flow);

/// Runs the items that the schedule has before its active steps, which are dropped, then the active
/// ones in one window that is not drained between them: one step to torch's tables. Device work is
/// traced with `traced`, else timed between marks. Nothing when the tracing ended in the middle.
std::optional<ProfiledSteps> run_profiled_window(Engine& engine, const ProfileOptions& options,
                                                 RunContext& context, DeviceTracing& tracing,
                                                 bool traced);

}  // namespace normbench
