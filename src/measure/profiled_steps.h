/// Runs and records one case in the profile pass: steps that follow torch.profiler's schedule, or,
/// for a pipeline, one window of items.
#pragma once

#include "measure/device_tracing.h"
#include "measure/engine.h"
#include "measure/run_context.h"

namespace normbench {

/// What the profiler does in a step. RecordAndSave: it records the step, which is the last of its
/// cycle.
enum class StepAction { None, Warmup, Record, RecordAndSave };
constexpr bool is_recorded(StepAction action) {
  return action == StepAction::Record || action == StepAction::RecordAndSave;
}

/// Decides as torch.profiler.schedule() does; with `repeat` 0, cycles never end.
StepAction action_of_step(const ProfileOptions& options, std::int64_t step);

/// Returns the number of steps to run: the steps that are skipped first, and the steps of all
/// cycles. If `repeat` is 0, which asks for cycles without end, only one cycle is run.
std::int64_t schedule_steps(const ProfileOptions& options);

/// The steps [first, last), which all have the same action. If they are recorded, they belong to
/// one cycle.
struct Stretch {
  StepAction action;  // Record for recorded steps, never RecordAndSave
  std::int64_t first, last;
};
Stretch stretch_from(const ProfileOptions& options, std::int64_t first);

/// True for copies between host and device, not for kernels that access memory over the link.
bool is_copy_over_link(const Stage& stage);

/// What was recorded of a case.
struct ProfiledSteps {
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices;  // one per cycle; none without a device
  std::vector<double> step_ns;       // time of each recorded step
  std::int64_t discarded = 0;        // how many warm-up steps were thrown away
  ProfileCounters counters;
  StageProfile::Faults faults;
  // The labels of range names that contain a step's number, by name.
  std::map<std::string, std::string, std::less<>> labels;
  std::vector<ItemSpan> items = {};      // the items of a pipeline
  std::vector<LaneWork> lane_work = {};  // work of a few items of a pipeline
};

/// Returns what lanes did while the six items in the middle of a turn were in flight, or all items
/// if there are fewer. The work is sorted by start. Times are ns since the first of these items
/// began. `flow` must have items.
std::vector<LaneWork> middle_work(const Flow& flow);

/// Runs all steps of the schedule. Warm-up steps are recorded too, so that they take the same time
/// as active steps, but their records are dropped. Steps whose records are not kept run in a range
/// `warmup`.
/// For a pipeline, each step of the schedule is one item. The items before the active ones are run,
/// and their records are dropped. The active items are then run in one window without draining
/// between them. The window is one step in torch's tables.
/// Device work is traced if `traced` is set, else timed between marks. Returns nothing if the
/// tracing ended early.
std::optional<ProfiledSteps> run_profiled_steps(Engine& engine, const ProfileOptions& options,
                                                RunContext& context, DeviceTracing& tracing,
                                                bool traced);

}  // namespace normbench
