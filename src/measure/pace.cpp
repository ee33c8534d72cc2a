#include "measure/pace.h"

#include <algorithm>
#include <numeric>

#include "measure/stop_rule.h"

namespace normbench {
namespace {

// More than the time asked for: from here on it is said.
constexpr double kOverrunShare = 0.25, kOverrunSeconds = 2;

/// Peers are not profiled.
double profiled_cases(const Group& group) {
  return static_cast<double>(std::ranges::count_if(
      group.cases, [](const Case& work) { return !work.skip && work.peer.empty(); }));
}

double steps_of(const ProfileOptions& profile) {
  if (!profile.enabled) return 0;
  const std::int64_t cycle = profile.wait + profile.warmup + profile.active;
  return static_cast<double>(profile.skip_first +
                             std::max<std::int64_t>(1, profile.repeat) * cycle);
}

/// Every contender is as often at every place of a round.
std::size_t whole_blocks(std::size_t contenders) {
  const std::size_t blocks = (StopRule::fewest_rounds + contenders - 1) / contenders;
  return blocks * contenders;
}

}  // namespace

Pace::Pace(const Plan& plan)
    : groups_(plan.groups.size()),
      max_seconds_(plan.measure.max_seconds_per_group),
      profile_steps_(steps_of(plan.profile)),
      profiles_(groups_) {
  for (const Group& group : plan.groups) profiled_cases_.push_back(profiled_cases(group));
}

void Pace::group_started(std::size_t index, double now) {
  index_ = index;
  start_ = prepared_ = now;
  rounds_ = round_time_ = 0;
}

std::optional<Overrun> Pace::step_done(const GroupStep& step, double now) {
  if (step.kind == GroupStep::Kind::Prepared) prepared_ = now;
  if (step.kind == GroupStep::Kind::Profiled) {
    profiling_ = true;
    const double own = profile_seconds(step.group) - profile_seconds(step.group + 1);
    profiled_ = profile_seconds(0) - profile_seconds(step.group + 1) -
                own * static_cast<double>(step.all - step.done) / static_cast<double>(step.all);
  }
  if (step.kind != GroupStep::Kind::Turn || step.done < step.all) return std::nullopt;
  rounds_ = static_cast<double>(step.rounds + 1);
  round_time_ = now - prepared_;
  fewest_rounds_ = whole_blocks(step.all);
  // A turn is one iteration at least, and as many before it.
  profiles_[index_] = profile_steps_ * round_seconds() / 2 * profiled_cases_[index_] /
                      static_cast<double>(step.all);
  const double least = static_cast<double>(fewest_rounds_) * round_seconds();
  const double overrun = least - max_seconds_;
  if (step.rounds > 0 || overrun < std::max(kOverrunShare * max_seconds_, kOverrunSeconds))
    return std::nullopt;
  return Overrun{prepared_ - start_, round_seconds(), fewest_rounds_};
}

void Pace::group_finished(double now) {
  ++finished_;
  finished_seconds_ += now - start_;
  end_ = now;
}

/// That the group which runs takes in all: what others took, within what its rounds allow.
double Pace::group_seconds() const {
  const double preparing = prepared_ - start_;
  const double least = preparing + static_cast<double>(fewest_rounds_) * round_seconds();
  const double most = std::max(least, preparing + max_seconds_);
  return finished_ > 0 ? std::clamp(finished_seconds_ / finished_, least, most) : most;
}

/// Of the groups from this one on; those that nothing is known of count as much as the mean.
double Pace::profile_seconds(std::size_t from) const {
  const double known = std::accumulate(profiles_.begin(), profiles_.end(), 0.0);
  const auto count = static_cast<double>(
      std::ranges::count_if(profiles_, [](double seconds) { return seconds > 0; }));
  const double mean = count > 0 ? known / count : profiling_ ? 1 : 0;
  double seconds = 0;
  for (std::size_t i = from; i < profiles_.size(); ++i)
    seconds += profiles_[i] > 0 ? profiles_[i] : mean;
  return seconds;
}

double Pace::seconds_left(double now) const {
  const double profiles = profile_seconds(0);
  if (profiling_) return profiled_ > 0 ? (now - end_) * (profiles / profiled_ - 1) : 0;
  const double own = group_seconds();
  const double others = finished_ > 0 ? finished_seconds_ / finished_ : own;
  const auto next = static_cast<double>(groups_ - index_ - 1);
  const double rest = start_ < end_ ? 0 : std::max(0.0, own - (now - start_));
  return rest + next * others + profiles;
}

}  // namespace normbench
