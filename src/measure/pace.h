/// How much longer a run takes, from what it took so far: pure arithmetic of seconds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/runner.h"
#include "plan/plan.h"

namespace normbench {

/// A group that cannot keep to its time: its fewest rounds take longer.
struct Overrun {
  double preparing_seconds = 0, round_seconds = 0;
  std::size_t fewest_rounds = 0;

  double seconds() const {
    return preparing_seconds + round_seconds * static_cast<double>(fewest_rounds);
  }
};

/// Times are seconds since any start, the same for all calls.
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
  double round_seconds() const { return rounds_ > 0 ? round_time_ / rounds_ : 0; }
  double group_seconds() const;
  double profile_seconds(std::size_t from) const;

  std::size_t groups_;
  double max_seconds_, profile_steps_;
  std::vector<double> profiled_cases_;          // of each group
  std::vector<double> profiles_;                // seconds that each may take; 0: not known
  std::size_t index_ = 0;                       // of the group that runs
  double start_ = 0, prepared_ = 0;             // when it started, and had prepared its contenders
  double rounds_ = 0, round_time_ = 0;          // whole ones; seconds of them
  std::size_t fewest_rounds_ = 0;               // whole blocks
  double finished_ = 0, finished_seconds_ = 0;  // groups measured in this run
  double end_ = 0;                              // of the last of them
  bool profiling_ = false;
  double profiled_ = 0;  // of the seconds that the profiles may take
};

}  // namespace normbench
