/// What the profile pass records of one case: steps run as torch.profiler's schedule says, or a
/// window of a pipeline's items; recorded, or thrown away.
#pragma once

#include "measure/device_tracing.h"
#include "measure/engine.h"
#include "measure/runner.h"

namespace normbench {

/// What is done with a step. RecordAndSave: recorded, and the last one of a cycle.
enum class StepAction { None, Warmup, Record, RecordAndSave };
constexpr bool is_recorded(StepAction action) {
  return action == StepAction::Record || action == StepAction::RecordAndSave;
}

/// Decides as torch.profiler.schedule() does; with `repeat` 0 cycles go on for ever.
StepAction action_of_step(const ProfileOptions& options, std::int64_t step);

/// How many steps are run: all of a schedule that repeats, else those of one cycle.
std::int64_t schedule_steps(const ProfileOptions& options);

/// Steps that follow one another and are treated alike: [first, last). Recorded ones are those of
/// one cycle.
struct Stretch {
  StepAction action;  // Record of recorded ones
  std::int64_t first, last;
};
Stretch stretch_from(const ProfileOptions& options, std::int64_t first);

/// True for copies between host and device; kernels that reach over the link are no copies.
bool is_copy_over_link(const Stage& stage);

/// What was recorded, and what was thrown away.
struct ProfiledSteps {
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices;  // one per cycle; none without a device
  std::vector<double> step_ns;       // of the recorded steps
  std::int64_t discarded = 0;        // warm-up steps
  ProfileCounters counters;
  StageProfile::Faults faults;
  std::map<std::string, std::string, std::less<>> labels;  // of names with a step's number
  std::vector<ItemSpan> items = {};                        // of a pipeline
  std::vector<LaneWork> lane_work = {};                    // of a pipeline: of a few items
};

/// What lanes did, sorted by start, while the six items in the middle of a turn were in flight (or
/// all, if there are fewer). Times are ns since the first of these began. The turn has items.
std::vector<LaneWork> middle_work(const Flow& flow);

/// Runs all steps of the schedule. Warm-up steps are recorded too, so that they cost the same, and
/// dropped; all steps that are not kept lie in a range `warmup`. Of a pipeline the items that the
/// schedule has before its active steps are run and dropped, then the active ones are run in one
/// window that is not drained between them: one step to torch's tables. Device work is traced with
/// `traced`, else timed between marks. Nothing when the tracing ended in the middle.
std::optional<ProfiledSteps> run_profiled_steps(Engine& engine, const ProfileOptions& options,
                                                RunContext& context, DeviceTracing& tracing,
                                                bool traced);

}  // namespace normbench
