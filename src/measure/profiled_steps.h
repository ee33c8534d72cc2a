/// Runs and records one case in the profile pass, in steps that follow the schedule of
/// torch.profiler. A step is an iteration. For a pipeline, a step is an item (batch), and all
/// recorded items run in one turn.
#pragma once

#include "measure/device_tracing.h"
#include "measure/engine.h"
#include "measure/run_context.h"

namespace normbench {

/// What the profiler does in a step. RecordAndSave: the step is recorded, and is the last one of
/// its cycle.
enum class StepAction { None, Warmup, Record, RecordAndSave };
constexpr bool is_recorded(StepAction action) {
  return action == StepAction::Record || action == StepAction::RecordAndSave;
}

/// Returns what torch.profiler.schedule() returns for this step. With `repeat` 0, the cycles of the
/// schedule repeat without end.
StepAction action_of_step(const ProfileOptions& options, std::int64_t step);

/// Returns the number of steps that are run: the steps that are skipped first, and the steps of all
/// cycles. If `repeat` is 0 (cycles without end), only one cycle is run. If `skip_first_wait` is
/// set, the first cycle has no waiting steps.
std::int64_t schedule_steps(const ProfileOptions& options);

/// Successive steps [first, last) with the same action. If the steps are recorded, they all belong
/// to one cycle of the schedule.
struct Stretch {
  StepAction action;  // Record for recorded steps, never RecordAndSave
  std::int64_t first, last;
};
Stretch stretch_from(const ProfileOptions& options, std::int64_t first);

/// Returns true for copies between host and device. Returns false for kernels that access memory
/// over the link.
bool is_copy_over_link(const Stage& stage);

/// What the profile pass has recorded of a case.
struct ProfiledSteps {
  std::vector<ThreadLog> threads;
  std::vector<DeviceTrace> devices;  // one for each cycle; empty without a device
  std::vector<double> step_ns;       // time of each recorded step
  std::int64_t discarded = 0;        // number of warm-up steps, or of items before the active ones
  ProfileCounters counters;
  StageProfile::Faults faults;
  // For each range name that contains the number of a step: its label, like "load{i}" for "load3".
  std::map<std::string, std::string, std::less<>> labels;
  std::vector<ItemSpan> items = {};      // the recorded items of a pipeline
  std::vector<LaneWork> lane_work = {};  // see middle_work()
};

/// Returns the work of all lanes while the six items in the middle of a turn were in flight. If the
/// turn has fewer items, uses all of them. The work is sorted by start. Times are in ns since the
/// first of these items began. `flow` must have items.
std::vector<LaneWork> middle_work(const Flow& flow);

/// Runs all steps of the schedule. Returns nothing if the tracer failed.
/// - Warm-up steps are recorded, too, so that they take the same time as active steps, but their
///   records are deleted. Skipped steps and warm-up steps run in a range `warmup`.
/// - For a pipeline, each step of the schedule is one item, and only one cycle is run. The items
///   before the active items are run, and their records are deleted. Then all active items run in
///   one turn, the window, in which the pipeline is not drained between items. In tables like those
///   of torch.profiler, the window is one step.
/// - If `traced` is true, the tracer records device work; otherwise marks (CUDA events) time it.
std::optional<ProfiledSteps> run_profiled_steps(Engine& engine, const ProfileOptions& options,
                                                RunContext& context, DeviceTracing& tracing,
                                                bool traced);

}  // namespace normbench
