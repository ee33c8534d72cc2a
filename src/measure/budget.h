/// Decides how long the turns of a group are, so that the group ends in time. A group is a set of
/// cases that are measured together: in each round, every case has one turn of some iterations.
#pragma once

#include <cstdint>
#include <span>

#include "measure/run_context.h"

namespace normbench {

/// A group is planned to take at most this many times its time limit. It takes longer only if even
/// the least number of rounds, with the shortest turns, takes longer.
inline constexpr double most_of_limit = 2;

/// Returns how long the checks between the rounds of a group may take together, in seconds. `limit`
/// is the time limit of the group.
constexpr double check_seconds(double limit) { return limit / 4; }
/// After the rounds, calls may be checked for this many seconds even if the time of the group is
/// already over.
inline constexpr double least_check_seconds = 1;

/// The estimated times of a contender (a case that takes turns), in seconds, and the number of
/// iterations of its turns.
struct ContenderTime {
  double iteration = 0;         // time of one iteration
  double beside = 0;            // time of the rest of a turn, like its warm-up
  double last_call = 0;         // time of the last call and its check
  double checks = 0;            // time of all checked calls except the first and the last
  std::int64_t iterations = 1;  // number per turn, if the group has enough time
  std::int64_t fewest = 1;      // least number per turn
  bool is_staged = false;       // true: its stages are timed in staged turns, after the rounds

  double turn(std::int64_t of) const { return beside + static_cast<double>(of) * iteration; }
};

/// The time limit of a group, and the time that it has already used, in seconds.
struct GroupTime {
  double limit = 0;      // max_seconds_per_group
  double preparing = 0;  // used before the rounds, not counting the start of peers
  std::int64_t processes = 1;
};

/// The plan for the time of a group in one process.
struct Budget {
  double share = 1;                // each turn has this share of ContenderTime::iterations
  double rounds = 0;               // time limit of all rounds, in seconds
  std::int64_t staged_turns = 12;  // number for each contender with is_staged
  GroupForecast forecast;
};

/// Returns true if the forecast exceeds the smaller of the two times below. The user is then told
/// that the group takes too long. `limit` is the time limit of the group in seconds.
/// - The first is the longest time that budget_of() plans when turns can be shortened enough. It is
///   0.9 * most_of_limit * `limit`, plus the time by which the checks after the rounds may exceed
///   check_seconds().
/// - The second is most_of_limit * `limit`, but at least `limit` + 1 s.
bool is_overrun(const GroupForecast& forecast, double limit);

/// Returns the number of iterations of a turn: `share` times `contender.iterations`, rounded down,
/// but at least `contender.fewest`.
std::int64_t iterations_of(const ContenderTime& contender, double share);

/// Divides the time of a group:
/// - The rounds get 0.9 * most_of_limit * limit, minus the time of all other work: preparing,
///   staged turns, last calls and checks. They get at least a quarter of the limit, and at most the
///   limit.
/// - All turns get the same share of their iterations. It is the largest share with which the least
///   number of rounds (StopRule::whole_blocks()) fits into the time of the rounds.
/// - Each contender with `is_staged` gets 12 staged turns, in which its stages are timed after the
///   rounds. If the 12 turns of all these contenders would take longer than a quarter of the limit
///   and longer than 0.5 s, each gets as many as fit into the longer of these two times, but at
///   least 3. If several processes measure the group, they divide the staged turns among
///   themselves.
Budget budget_of(const GroupTime& group, std::span<const ContenderTime> contenders);

}  // namespace normbench
