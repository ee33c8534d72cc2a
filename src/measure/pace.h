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

  void group_started(std::size_t index, std::int64_t part, double now);
  /// Gives the group's overrun once, after its first round, if there is one. A step that is a
  /// process is a part of the group that is measured.
  std::optional<Overrun> step_done(const GroupStep& step, double now);
  /// Call it for a group that this process has measured.
  void group_finished(double now);

  /// About how long all groups that are left and their profiles take.
  double seconds_left(double now) const;

 private:
  void part_finished(double now);

  const Plan& plan_;
  double groups_, processes_;
  double expected_;             // seconds of one part: the mean so far, at first what is asked for
  double begun_ = 0;            // parts before the present one
  double start_ = 0;            // of the present part; of the profiles after the last
  double prepared_ = 0;         // when its contenders were prepared
  double finished_ = 0;         // parts measured in this run
  double spent_ = 0;            // their seconds
  double known_ = 0;            // groups of which a round was seen
  double profiles_ = 0;         // seconds that the profiles of those take, about
  double profiled_ = 0;         // share of all profiles that is done
  double profiled_before_ = 0;  // … by an earlier run, which this one resumes
};

}  // namespace normbench
