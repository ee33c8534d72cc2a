/// Estimates the remaining time of a run from its time so far. The caller passes the time; nothing
/// here reads a clock.
#pragma once

#include "measure/run_context.h"

namespace normbench {

/// All times (`now`) are in seconds since the same arbitrary start. A group has the cases that are
/// measured together, in turns. A part of a group is what one process measures of it. The plan must
/// outlive this object.
class Pace {
 public:
  explicit Pace(const Plan& plan);

  void group_started(std::size_t index, std::int64_t part, double now);
  /// Call it when the lengths of the turns of a group have been decided. Returns true if the
  /// forecast exceeds the time limit of the group so much that the user is told (is_overrun()).
  bool turns_fitted(std::size_t index, const GroupForecast& forecast);
  /// Call it after each step. A step of kind Process ends a part of the group.
  void step_done(const GroupStep& step, double now);
  /// Call it when a group has been measured by all its processes.
  void group_finished(double now);

  /// Returns the estimated seconds for the rest of the present group, all later groups and the
  /// profiles.
  double seconds_left(double now) const;

 private:
  void begin_part();
  void part_finished(double now);
  /// Returns the seconds that the config plans for one part of a group: max_seconds_per_group
  /// divided by the number of processes. Returns 0 if no case of the group can run on this machine.
  double asked_of(std::size_t group) const;
  /// Returns the sum of asked_of() over group `group` and all groups after it.
  double asked_from(std::size_t group) const;
  /// Returns how many groups with an index below `group` can run on this machine.
  double running_before(std::size_t group) const;
  /// Returns the estimated seconds for the rest of the present part.
  double left_of_part(double now) const;

  const Plan& plan_;
  std::size_t group_ = 0;                 // index of the group of the present part
  std::int64_t part_ = 0;                 // index of the present part in its group
  bool is_finished_ = false;              // the present part has ended
  double start_ = 0;                      // when the present part, or the profiles, started
  std::optional<double> prepared_;        // when the latest contender was prepared
  std::optional<GroupForecast> overrun_;  // set if the present part is_overrun()
  double factor_ = 1;                     // measured / planned seconds of the parts
  double rounds_factor_ = 1;              // seconds of the rounds / planned seconds of the parts
  double spent_ = 0, rounds_spent_ = 0, asked_ = 0;  // sums over the parts that have ended
  double known_ = 0;                                 // number of calls of turns_fitted()
  double profiles_ = 0;         // estimated seconds of profiles, summed over known_ calls
  double profiled_ = 0;         // share of all profiles that are done
  double profiled_before_ = 0;  // profiled_ before the first profile of this process
};

}  // namespace normbench
