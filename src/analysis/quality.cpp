#include "analysis/quality.h"

#include <fmt/format.h>

#include <cmath>

#include "core/units.h"

namespace normbench {

namespace {

constexpr double kNoisySpread = 0.1;  // middle half of the rounds wider than this of their median
constexpr double kNoisyDisturbed = 0.1;  // of all rounds

struct Total {
  int rounds = 0, disturbed = 0;
  std::map<Flag, std::size_t> flagged;
  double drift = 0;  // the largest that is one
};

Total total_of(const GroupAnalysis& analysis) {
  Total total;
  for (const CaseNoise& noise : analysis.noise) {
    total.rounds += noise.rounds;
    total.disturbed += static_cast<int>(noise.disturbed.size());
    for (const auto& [flag, rounds] : noise.flagged) total.flagged[flag] += rounds.size();
    if (noise.drifts) total.drift = std::max(total.drift, std::abs(noise.drift->value - 1));
  }
  return total;
}

std::string disturbed_text(const Total& total) {
  std::string reasons;
  for (const auto& [flag, count] : total.flagged)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", name_of(flag), count);
  return fmt::format(", {} of {} rounds disturbed ({})", total.disturbed, total.rounds, reasons);
}

}  // namespace

std::string quality(const GroupAnalysis& analysis, const Results& results) {
  const std::string good = fmt::format("{} good to {}", analysis.pairs.empty() ? "times" : "ratios",
                                       format_percent(analysis.half_width));
  if (results.quick) return "quick run: intervals are wide (" + good + ")";
  const Total total = total_of(analysis);
  const bool noisy = analysis.spread > kNoisySpread ||
                     analysis.half_width > 2 * results.precision ||
                     total.disturbed > kNoisyDisturbed * total.rounds || total.drift > 0;
  if (!noisy) return "machine quiet: " + good;
  std::string text = "machine noisy: " + good;
  if (total.disturbed > 0) text += disturbed_text(total);
  if (total.drift > 0) text += ", drift " + format_percent(total.drift);
  if (total.disturbed == 0 && total.drift == 0)
    text += ", rounds spread by " + format_percent(analysis.spread);
  return text;
}

}  // namespace normbench
