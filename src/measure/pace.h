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
  void begin_part();
  void part_finished(double now);
  /// The seconds asked for by one part of a group; 0 where nothing of it runs here.
  double asked_of(std::size_t group) const;
  /// The seconds asked for by one part of this group and of each group after it.
  double asked_from(std::size_t group) const;
  /// The number of groups before this one that run here.
  double running_before(std::size_t group) const;
  /// The seconds that the present part still takes.
  double left_of_part(double now) const;

  const Plan& plan_;
  std::size_t group_ = 0;           // of the present part
  std::int64_t part_ = 0;           // the present one's process
  bool is_finished_ = false;        // the present part
  double start_ = 0;                // of the present part; of the profiles after the last
  std::optional<double> prepared_;  // when the contenders of the present part were prepared
  std::optional<Overrun> overrun_;  // of the present part
  double factor_ = 1;               // seconds that a part takes for each second asked for
  double rounds_factor_ = 1;        // the seconds of these that are rounds
  double spent_ = 0, rounds_spent_ = 0, asked_ = 0;  // sums of the parts measured in this run
  double known_ = 0;                                 // groups of which a round was seen
  double profiles_ = 0;         // seconds that the profiles of those take, about
  double profiled_ = 0;         // share of all profiles that is done
  double profiled_before_ = 0;  // … by an earlier run, which this one resumes
};

}  // namespace normbench
