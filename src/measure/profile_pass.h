/// The profile pass: a few recorded iterations of each case, for the table and the trace only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure/results.h"
#include "measure/runner.h"
#include "plan/plan.h"

namespace normbench {

/// What torch.profiler's schedule does in a step.
enum class StepAction { None, Warmup, Record };
StepAction action_of_step(const ProfileOptions& options, std::int64_t step);

/// Steps until the schedule is through; repeating forever counts as once.
std::int64_t schedule_steps(const ProfileOptions& options);

/// Profiles every measured case of the group and fills `result.profile`. Errors become notes of the
/// case. False when interrupted, with `result` untouched.
bool profile_group(const Plan& plan, std::size_t index, RunContext& context, GroupResult& result);

}  // namespace normbench
