/// Plans a group's time: how long turns may be, so that the group keeps its time limit.
#pragma once

#include <cstdint>
#include <span>

#include "measure/run_context.h"

namespace normbench {

/// A group takes at most this many times its time limit, unless the fewest rounds of the shortest
/// turns take longer.
inline constexpr double most_of_limit = 2;

/// Returns the seconds that checks between rounds may take in a group with this time limit.
constexpr double check_seconds(double limit) { return limit / 4; }
/// Calls that are still to be checked after the rounds get this many seconds, even if the group's
/// time is over.
inline constexpr double least_check_seconds = 1;

/// The estimated times of a contender, in seconds, and the lengths that its turns may have.
struct ContenderTime {
  double iteration = 0;           // of one iteration
  double beside = 0;              // of what a turn takes beside its iterations
  double last_call = 0;           // of the last call with its check
  double checks = 0;              // of all checks of calls between the first and the last
  std::int64_t iterations = 1;    // of a turn, if there is time for it
  std::int64_t fewest = 1;        // of the shortest turn
  bool is_staged = false;         // takes staged turns after the rounds

  double turn(std::int64_t of) const { return beside + static_cast<double>(of) * iteration; }
};

/// What a group may take, and what it has taken, in seconds.
struct GroupTime {
  double limit = 0;           // max_seconds_per_group
  double preparing = 0;       // spent before the rounds, without the start of peers
  std::int64_t processes = 1;
};

/// How a group spends its time.
struct Budget {
  double share = 1;                // of the iterations that a turn has if there is time for them
  double rounds = 0;               // the time limit of the rounds, in seconds
  std::int64_t staged_turns = 12;  // of each contender that takes staged turns
  GroupForecast forecast;
};

/// True if a group takes so much longer than its time limit of `limit` seconds that this has to be
/// said: more than most_of_limit times the limit, and at least 1 s more than the limit.
bool is_overrun(const GroupForecast& forecast, double limit);

/// Returns the iterations of a turn with a share of them: at least the fewest, and at most all.
std::int64_t iterations_of(const ContenderTime& contender, double share);

/// Divides a group's time:
/// - The rounds get the group's limit, or less where preparing and the work after the rounds leave
///   less of most_of_limit times the limit, but at least a quarter of the limit.
/// - Turns get the largest share of their iterations with which the fewest rounds fit.
/// - Staged turns are fewer than 12, but at least 3, where they would take more than a quarter of
///   the limit and than 0.5 s. Several processes share them.
Budget budget_of(const GroupTime& group, std::span<const ContenderTime> contenders);

}  // namespace normbench
