#include <fmt/format.h>

#include <string>

#include "analysis/words.h"
#include "core/units.h"
#include "report/group_tables.h"
#include "report/rows.h"

namespace normbench {

namespace {

/// "4 (stolen 3, preempted 2)".
std::string disturbed_text(const CaseNoise& noise) {
  std::string reasons;
  for (const auto& [flag, rounds] : noise.flagged)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", name_of(flag), rounds.size());
  return reasons.empty() ? "0" : fmt::format("{} ({})", noise.disturbed.size(), reasons);
}

std::string drift_text(const CaseNoise& noise) {
  return noise.drift ? ratio_text(*noise.drift) + (noise.drifts ? " drifts" : "") : "";
}

/// "2,300 (±1.5 %)": the median, and half of what the rounds span.
std::string frequency_text(const CaseNoise& noise) {
  if (noise.frequency_khz == 0) return "";
  return fmt::format("{} (±{})", format_count(noise.frequency_khz / 1000),
                     format_percent(noise.frequency_spread / 2));
}

}  // namespace

std::string noise_table(const GroupResult& group, const GroupAnalysis& analysis) {
  Rows rows({"variant", "rounds", "disturbed", "voluntary", "involuntary", "major faults",
             "MHz (span)", "stolen", "throttled", "lag-1", "last/first third"});
  std::string notes;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseNoise& noise = analysis.noise[i];
    const std::string& variant = group.cases[i].variant;
    if (noise.rounds == 0) continue;
    const bool counted = group.cases[i].peer.empty();  // those of a peer are not known here
    rows.add({variant, std::to_string(noise.rounds), disturbed_text(noise),
              counted ? format_count(noise.counters.voluntary_switches) : "",
              counted ? format_count(noise.counters.involuntary_switches) : "",
              format_count(noise.counters.major_faults), frequency_text(noise),
              format_percent(noise.steal_share), format_percent(noise.throttled_share),
              fmt::format("{:.2f}", noise.autocorrelation), drift_text(noise)});
    if (noise.sensitive)
      notes += fmt::format("  {}: without disturbed rounds its time/baseline is {}\n",
                           spoken(variant), ratio_text(*noise.undisturbed));
  }
  return rows.text({0, 2}) + notes;
}

}  // namespace normbench
