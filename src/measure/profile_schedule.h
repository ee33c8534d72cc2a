/// torch.profiler's schedule: which steps of a profile are recorded.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace normbench {

/// What is done with a step. RecordAndSave: recorded, and the last one of a cycle.
enum class StepAction { None, Warmup, Record, RecordAndSave };
constexpr bool is_recorded(StepAction action) {
  return action == StepAction::Record || action == StepAction::RecordAndSave;
}

/// As torch.profiler.schedule() decides; with `repeat` 0 for ever.
StepAction action_of_step(const ProfileOptions& options, std::int64_t step);

/// Steps that are run: all of a schedule that repeats, else those of one cycle.
std::int64_t schedule_steps(const ProfileOptions& options);

/// Steps that follow one another and are treated alike: [first, last). Recorded ones are those of
/// one cycle.
struct Stretch {
  StepAction action;  // Record of recorded ones
  std::int64_t first, last;
};
Stretch stretch_from(const ProfileOptions& options, std::int64_t first);

}  // namespace normbench
