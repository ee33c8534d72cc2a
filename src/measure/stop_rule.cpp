#include "measure/stop_rule.h"

#include <algorithm>
#include <limits>

#include "document/statistics.h"

namespace normbench {
namespace {

/// A group ends with Stop::Precision only if effective_rounds() of each ratio is at least this
/// number.
constexpr double enough_effective = 40;

/// Returns the least number of rounds that each process must run. The processes of a group divide
/// StopRule::fewest_rounds among themselves.
std::size_t fewest_of(std::int64_t processes) {
  return static_cast<std::size_t>((StopRule::fewest_rounds + processes - 1) / processes);
}

struct Look {
  double half_width = 0;                                  // of the widest interval of a ratio
  double effective = std::numeric_limits<double>::max();  // least effective_rounds() of a ratio
};

void look_at(std::span<const double> numerator, std::span<const double> denominator, Look& look) {
  look.half_width =
      std::max(look.half_width, half_width(paired_ratio(numerator, denominator, decision_level)));
  look.effective = std::min(look.effective, effective_rounds(log_ratios(numerator, denominator)));
}

Look look_at_all(std::span<const std::vector<double>> series, std::size_t baseline) {
  Look look;
  const std::vector<double> ones(series[baseline].size(), 1.0);
  if (series.size() == 1) look_at(series[0], ones, look);
  for (std::size_t i = 0; i < series.size(); ++i)
    if (i != baseline) look_at(series[i], series[baseline], look);
  return look;
}

}  // namespace

StopRule::StopRule(double precision, double max_seconds, std::int64_t processes)
    : precision_(precision), max_seconds_(max_seconds), fewest_rounds_(fewest_of(processes)) {}

std::size_t StopRule::block_rounds(std::size_t contenders) {
  return contenders <= most_in_whole_squares ? contenders : std::size_t{fewest_rounds};
}

std::size_t StopRule::whole_blocks(std::size_t contenders, std::int64_t processes) {
  if (contenders == 0) return 0;
  const std::size_t rounds = block_rounds(contenders);
  const std::size_t blocks = (fewest_of(processes) + rounds - 1) / rounds;
  return blocks * rounds;
}

std::optional<Stop> StopRule::decide(std::span<const std::vector<double>> series,
                                     std::size_t baseline, double seconds) {
  const int rounds = static_cast<int>(series[baseline].size());
  if (rounds >= next_look_) {
    while (next_look_ <= rounds) next_look_ *= 2;
    const Look look = look_at_all(series, baseline);
    half_width_ = look.half_width;
    if (look.half_width <= precision_ && look.effective >= enough_effective) return Stop::Precision;
  }
  if (has_fewest(series[baseline].size()) && time_is_over(seconds)) return Stop::Time;
  return std::nullopt;
}

}  // namespace normbench
