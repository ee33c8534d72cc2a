#include "measure/profile_schedule.h"

#include <algorithm>

namespace normbench {

namespace {

std::int64_t steps_of_cycle(const ProfileOptions& options) {
  return options.wait + options.warmup + options.active;
}

StepAction kind_of_step(const ProfileOptions& options, std::int64_t step) {
  const StepAction action = action_of_step(options, step);
  return is_recorded(action) ? StepAction::Record : action;
}

}  // namespace

StepAction action_of_step(const ProfileOptions& options, std::int64_t step) {
  if (step < options.skip_first) return StepAction::None;
  step -= options.skip_first;
  if (options.skip_first_wait != 0) step += options.wait;
  const std::int64_t cycle = steps_of_cycle(options);
  if (options.repeat > 0 && step / cycle >= options.repeat) return StepAction::None;
  const std::int64_t in_cycle = step % cycle;
  if (in_cycle < options.wait) return StepAction::None;
  if (in_cycle < options.wait + options.warmup) return StepAction::Warmup;
  return in_cycle + 1 < cycle ? StepAction::Record : StepAction::RecordAndSave;
}

std::int64_t schedule_steps(const ProfileOptions& options) {
  const std::int64_t cycles = std::max<std::int64_t>(1, options.repeat);
  const std::int64_t not_waited = options.skip_first_wait != 0 ? options.wait : 0;
  return options.skip_first + cycles * steps_of_cycle(options) - not_waited;
}

Stretch stretch_from(const ProfileOptions& options, std::int64_t first) {
  const std::int64_t steps = schedule_steps(options);
  Stretch stretch{
      .action = kind_of_step(options, first), .first = first, .last = std::min(first + 1, steps)};
  while (stretch.last < steps &&
         action_of_step(options, stretch.last - 1) != StepAction::RecordAndSave &&
         kind_of_step(options, stretch.last) == stretch.action)
    ++stretch.last;
  return stretch;
}

}  // namespace normbench
