#include "measure/budget.h"

#include <algorithm>
#include <cmath>

#include "measure/stop_rule.h"

namespace normbench {
namespace {

constexpr double reserve = 0.1;  // share of most_of_limit * limit that is kept free for delays
constexpr double quarter = 0.25;
constexpr double least_staged_seconds = 0.5;
constexpr std::int64_t most_staged = 12, fewest_staged = 3;

/// Returns how many staged turns each contender takes, summed over all processes. A staged turn
/// times the stages of a contender, after the rounds. `limit` is the time limit of the group.
/// `seconds_each` is the time of one staged turn of each contender, summed over the contenders.
std::int64_t staged_turns(double limit, double seconds_each) {
  if (seconds_each <= 0) return most_staged;
  const double seconds = std::max(quarter * limit, least_staged_seconds);
  const double fitting = std::floor(seconds / seconds_each);
  return static_cast<std::int64_t>(std::clamp(fitting, static_cast<double>(fewest_staged),
                                              static_cast<double>(most_staged)));
}

double round_seconds(std::span<const ContenderTime> contenders, double share) {
  double seconds = 0;
  for (const ContenderTime& one : contenders) seconds += one.turn(iterations_of(one, share));
  return seconds;
}

/// Returns the largest share of ContenderTime::iterations with which a round takes at most
/// `seconds`. Returns 0 if a round takes longer with every share. Uses bisection: the time is a
/// step function of the share, because iterations_of() rounds down to whole iterations.
double largest_share(std::span<const ContenderTime> contenders, double seconds) {
  if (round_seconds(contenders, 1) <= seconds) return 1;
  constexpr int halvings = 40;
  double fits = 0, exceeds = 1;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (fits + exceeds) / 2;
    (round_seconds(contenders, middle) <= seconds ? fits : exceeds) = middle;
  }
  return fits;
}

}  // namespace

bool is_overrun(const GroupForecast& forecast, double limit) {
  constexpr double least_seconds = 1;
  const double promised = limit + std::max((most_of_limit - 1) * limit, least_seconds);
  const double checks = std::max(0.0, least_check_seconds - check_seconds(limit));
  return forecast.seconds() > std::min(promised, (1 - reserve) * most_of_limit * limit + checks);
}

std::int64_t iterations_of(const ContenderTime& contender, double share) {
  const auto part =
      static_cast<std::int64_t>(std::floor(share * static_cast<double>(contender.iterations)));
  return std::clamp(part, std::min(contender.fewest, contender.iterations), contender.iterations);
}

Budget budget_of(const GroupTime& group, std::span<const ContenderTime> contenders) {
  double last_calls = 0, checks = 0, staged = 0;
  for (const ContenderTime& one : contenders) {
    last_calls += one.last_call;
    checks += one.checks;
    if (one.is_staged) staged += one.turn(one.fewest);
  }
  const std::int64_t turns = staged_turns(group.limit, staged);
  Budget budget{.staged_turns = (turns + group.processes - 1) / group.processes, .forecast = {}};
  const double others = last_calls + static_cast<double>(budget.staged_turns) * staged;
  const double in_time = std::min(checks, check_seconds(group.limit));
  const double left =
      (1 - reserve) * most_of_limit * group.limit - group.preparing - others - in_time;
  const double all_checks = std::min(checks, std::max(in_time, least_check_seconds));
  budget.rounds = std::clamp(left, quarter * group.limit, group.limit);
  const std::size_t rounds = StopRule::whole_blocks(contenders.size(), group.processes);
  budget.share = largest_share(contenders, budget.rounds / static_cast<double>(rounds));
  budget.forecast = {.preparing_seconds = group.preparing,
                     .round_seconds = round_seconds(contenders, budget.share),
                     .after_seconds = others + all_checks,
                     .fewest_rounds = rounds,
                     .turns = contenders.size()};
  return budget;
}

}  // namespace normbench
