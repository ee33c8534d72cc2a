/// About how much longer a run takes, from what it took so far: pure arithmetic of seconds.
#pragma once

#include "measure/runner.h"

namespace normbench {

/// A group that cannot keep to its time: its fewest rounds take longer.
struct Overrun {
  double preparing_seconds = 0, round_seconds = 0;
  std::size_t fewest_rounds = 0;

  double seconds() const {
    return preparing_seconds + round_seconds * static_cast<double>(fewest_rounds);
  }
};

/// Times are seconds since any start, the same for all calls. The plan must outlive it.
class Pace {
 public:
  explicit Pace(const Plan& plan);

  void group_started(std::size_t index, double now);
  /// What the step shows of the group's time, once: after its first round.
  std::optional<Overrun> step_done(const GroupStep& step, double now);
  void group_finished(double now);

  /// Of all groups and their profiles.
  double seconds_left(double now) const;

 private:
  const Plan& plan_;
  double groups_, expected_;         // of all groups, one: its mean; before it what is asked for
  double begun_ = 0;                 // groups before the present one
  double start_ = 0, prepared_ = 0;  // when it started, and had prepared its contenders
  double finished_ = 0, spent_ = 0;  // groups measured in this run, and their seconds
  double known_ = 0, profiles_ = 0;  // groups whose profiles' seconds are known, and those
  double profiled_ = 0;              // share of the profiles that is done
};

}  // namespace normbench
