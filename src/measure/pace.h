/// Estimates, from the time that a run has taken so far, how much longer it will take. It gets the
/// time from its caller and reads no clock.
#pragma once

#include "measure/run_context.h"

namespace normbench {

/// All times are seconds since the same, arbitrary start. The plan must outlive this object.
class Pace {
 public:
  explicit Pace(const Plan& plan);

  void group_started(std::size_t index, std::int64_t part, double now);
  /// Call when the group's turns are decided. Returns true if the fewest rounds exceed the group's
  /// time limit so far that this has to be said.
  bool turns_fitted(std::size_t index, const GroupForecast& forecast);
  /// Call after each step. A step of kind Process ends a part of the group.
  void step_done(const GroupStep& step, double now);
  /// Call when a group has been measured.
  void group_finished(double now);

  /// Estimates the seconds that all remaining groups and their profiles take.
  double seconds_left(double now) const;

 private:
  void begin_part();
  void part_finished(double now);
  /// The seconds that the config asks for: the time for the rounds of one part of a group. 0 if
  /// nothing of the group runs here.
  double asked_of(std::size_t group) const;
  /// The sum of asked_of() over this group and all groups after it.
  double asked_from(std::size_t group) const;
  /// The number of groups before this one that run here.
  double running_before(std::size_t group) const;
  /// The seconds that the present part still takes.
  double left_of_part(double now) const;

  const Plan& plan_;
  std::size_t group_ = 0;           // index of the present part's group
  std::int64_t part_ = 0;           // index of the present part's process
  bool is_finished_ = false;        // the present part has ended
  double start_ = 0;                // start of the present part, or of the profiles
  std::optional<double> prepared_;  // when the part's contenders were prepared
  std::optional<GroupForecast> overrun_;  // set if the present part exceeds its time limit
  double factor_ = 1;               // seconds that a part takes, per second of asked_of()
  double rounds_factor_ = 1;        // seconds that a part's rounds take, per second of asked_of()
  double spent_ = 0, rounds_spent_ = 0, asked_ = 0;  // sums over the parts that have ended
  double known_ = 0;                                 // number of groups with a finished round
  double profiles_ = 0;         // estimated seconds of the profiles of the known_ groups
  double profiled_ = 0;         // the share of all profiles that is done
  double profiled_before_ = 0;  // the share that an earlier, resumed run had done
};

}  // namespace normbench
