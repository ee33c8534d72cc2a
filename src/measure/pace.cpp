#include "measure/pace.h"

#include <algorithm>
#include <ranges>

#include "measure/budget.h"
#include "measure/profiled_steps.h"

namespace normbench {
namespace {

/// Returns the number of iterations in the profiles of all cases of a group together. Cases of
/// peers are not profiled.
double profile_iterations(const Plan& plan, const Group& group) {
  if (!plan.profile.enabled) return 0;
  const auto cases = std::ranges::count_if(
      group.cases, [](const Case& planned) { return !planned.skip && planned.peer.empty(); });
  return static_cast<double>(cases * schedule_steps(plan.profile));
}

}  // namespace

Pace::Pace(const Plan& plan) : plan_(plan) {}

void Pace::group_started(std::size_t index, std::int64_t part, double now) {
  group_ = index;
  part_ = part;
  start_ = now;
  begin_part();
}

bool Pace::turns_fitted(std::size_t index, const GroupForecast& forecast) {
  // In a round, each contender runs at least two iterations: one in the warm-up and one in the
  // turn. So an iteration of a profile takes at most about half of the time that a contender takes
  // in a round.
  if (forecast.turns > 0)
    profiles_ += profile_iterations(plan_, plan_.groups[index]) * forecast.round_seconds / 2 /
                 static_cast<double>(forecast.turns);
  ++known_;
  const double limit = plan_.measure_of(plan_.groups[index]).max_seconds_per_group;
  if (!is_overrun(forecast, limit)) return false;
  overrun_ = forecast;
  if (asked_of(group_) > 0) factor_ = std::max(factor_, forecast.seconds() / asked_of(group_));
  return true;
}

void Pace::step_done(const GroupStep& step, double now) {
  if (step.kind == GroupStep::Kind::Prepared) prepared_ = now;
  if (step.kind == GroupStep::Kind::Process) part_finished(now);
  if (step.kind != GroupStep::Kind::Profiled) return;
  const auto share = [&](std::size_t done) {
    return (running_before(step.group) +
            static_cast<double>(done) / static_cast<double>(step.all)) /
           running_before(plan_.groups.size());
  };
  if (profiled_ == 0) profiled_before_ = share(step.done - 1);
  profiled_ = share(step.done);
}

void Pace::group_finished(double now) {
  if (plan_.measure.processes == 1) part_finished(now);
}

void Pace::begin_part() {
  is_finished_ = false;
  prepared_.reset();
  overrun_.reset();
}

void Pace::part_finished(double now) {
  spent_ += now - start_;
  rounds_spent_ += prepared_ ? now - *prepared_ : 0;
  asked_ += asked_of(group_);
  if (asked_ > 0) {
    factor_ = spent_ / asked_;
    rounds_factor_ = rounds_spent_ / asked_;
  }
  is_finished_ = true;
  start_ = now;
}

double Pace::asked_of(std::size_t group) const {
  const Group& one = plan_.groups[group];
  if (!one.runs_here()) return 0;
  return plan_.measure_of(one).max_seconds_per_group / static_cast<double>(plan_.measure.processes);
}

double Pace::asked_from(std::size_t group) const {
  double seconds = 0;
  for (; group < plan_.groups.size(); ++group) seconds += asked_of(group);
  return seconds;
}

double Pace::running_before(std::size_t group) const {
  return static_cast<double>(std::ranges::count_if(
      std::views::take(plan_.groups, static_cast<std::ptrdiff_t>(group)), &Group::runs_here));
}

double Pace::left_of_part(double now) const {
  if (is_finished_) return 0;
  const double asked = asked_of(group_);
  if (!prepared_) return std::max(start_ + factor_ * asked - now, rounds_factor_ * asked);
  const double end = overrun_ ? start_ + overrun_->seconds() : *prepared_ + rounds_factor_ * asked;
  return std::max(0.0, end - now);
}

double Pace::seconds_left(double now) const {
  if (profiled_ > 0) return (now - start_) * (1 - profiled_) / (profiled_ - profiled_before_);
  const double profiles = known_ > 0 ? profiles_ / known_ * running_before(plan_.groups.size()) : 0;
  const auto parts_after = static_cast<double>(plan_.measure.processes - 1 - part_);
  const double asked = asked_from(group_ + 1) + parts_after * asked_from(0);
  return left_of_part(now) + factor_ * asked + profiles;
}

}  // namespace normbench
