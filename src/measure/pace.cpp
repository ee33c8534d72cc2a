#include "measure/pace.h"

#include <algorithm>

#include "measure/profiled_steps.h"
#include "measure/stop_rule.h"

namespace normbench {
namespace {

// More than the time asked for: from here on it is said.
constexpr double kOverrunShare = 0.25, kOverrunSeconds = 2;

/// How many iterations a group's profiles have; peers are not profiled.
double profile_iterations(const Plan& plan, const Group& group) {
  if (!plan.profile.enabled) return 0;
  const auto cases = std::ranges::count_if(
      group.cases, [](const Case& planned) { return !planned.skip && planned.peer.empty(); });
  return static_cast<double>(cases * schedule_steps(plan.profile));
}

/// Every contender is as often at every place of a round.
std::size_t whole_blocks(std::size_t contenders) {
  const std::size_t blocks = (StopRule::fewest_rounds + contenders - 1) / contenders;
  return blocks * contenders;
}

/// What the rounds of a group take as the config has it.
double mean_seconds(const Plan& plan) {
  double seconds = 0;
  for (const Group& group : plan.groups) seconds += plan.measure_of(group).max_seconds_per_group;
  return plan.groups.empty() ? 0 : seconds / static_cast<double>(plan.groups.size());
}

}  // namespace

Pace::Pace(const Plan& plan)
    : plan_(plan),
      groups_(static_cast<double>(plan.groups.size())),
      processes_(static_cast<double>(plan.measure.processes)),
      expected_(mean_seconds(plan) / processes_) {}

void Pace::group_started(std::size_t index, std::int64_t part, double now) {
  begun_ = static_cast<double>(part) * groups_ + static_cast<double>(index);
  start_ = prepared_ = now;
}

std::optional<Overrun> Pace::step_done(const GroupStep& step, double now) {
  const auto all = static_cast<double>(step.all);
  if (step.kind == GroupStep::Kind::Prepared) prepared_ = now;
  if (step.kind == GroupStep::Kind::Process) part_finished(now);
  if (step.kind == GroupStep::Kind::Profiled) {
    const auto share = [&](std::size_t done) {
      return (static_cast<double>(step.group) + static_cast<double>(done) / all) / groups_;
    };
    if (profiled_ == 0) profiled_before_ = share(step.done - 1);
    profiled_ = share(step.done);
  }
  if (step.kind != GroupStep::Kind::Turn || step.done < step.all || step.rounds > 0)
    return std::nullopt;
  const Overrun overrun{prepared_ - start_, now - prepared_, whole_blocks(step.all)};
  // A turn is one iteration at least, and as many before it.
  profiles_ +=
      profile_iterations(plan_, plan_.groups[step.group]) * overrun.round_seconds / 2 / all;
  ++known_;
  const double asked = plan_.measure_of(plan_.groups[step.group]).max_seconds_per_group;
  if (overrun.seconds() - overrun.preparing_seconds <
      asked + std::max(kOverrunShare * asked, kOverrunSeconds))
    return std::nullopt;
  expected_ = std::max(expected_, overrun.seconds());
  return overrun;
}

void Pace::group_finished(double now) {
  if (processes_ == 1) part_finished(now);
}

void Pace::part_finished(double now) {
  spent_ += now - start_;
  expected_ = spent_ / ++finished_;
  ++begun_;
  start_ = now;
}

double Pace::seconds_left(double now) const {
  if (profiled_ > 0) return (now - start_) * (1 - profiled_) / (profiled_ - profiled_before_);
  const double profiles = known_ > 0 ? profiles_ / known_ * groups_ : 0;
  const double groups =
      expected_ * (groups_ * processes_ - begun_) - std::min(expected_, now - start_);
  return std::max(0.0, groups) + profiles;
}

}  // namespace normbench
