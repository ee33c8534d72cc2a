#include "measure/stop_rule.h"

#include <algorithm>

#include "document/statistics.h"

namespace normbench {
namespace {

double widest(std::span<const std::vector<double>> series, std::size_t baseline) {
  const std::vector<double> ones(series[baseline].size(), 1.0);
  if (series.size() == 1) return half_width(paired_ratio(series[0], ones, decision_level));
  double width = 0;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (i != baseline)
      width =
          std::max(width, half_width(paired_ratio(series[i], series[baseline], decision_level)));
  return width;
}

}  // namespace

StopRule::StopRule(double precision, double max_seconds)
    : precision_(precision), max_seconds_(max_seconds) {}

std::optional<Stop> StopRule::decide(std::span<const std::vector<double>> series,
                                     std::size_t baseline, double seconds) {
  const int rounds = static_cast<int>(series[baseline].size());
  if (rounds >= next_look_) {
    while (next_look_ <= rounds) next_look_ *= 2;
    half_width_ = widest(series, baseline);
    if (half_width_ <= precision_) return Stop::Precision;
  }
  if (rounds >= fewest_rounds && time_is_over(seconds)) return Stop::Time;
  return std::nullopt;
}

}  // namespace normbench
