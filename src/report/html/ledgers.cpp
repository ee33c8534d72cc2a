#include <fmt/format.h>

#include "core/units.h"
#include "report/document_text.h"
#include "report/html/charts.h"
#include "report/words.h"

namespace normbench::html {
namespace {

std::string error_text(const CheckResult& check) {
  if (check.psnr_bound_db > 0) return likeness_text(check);
  if (check.bound == 0 && check.max_abs_error == 0) return "";  // failed before the check
  return fmt::format("{:.2e}, where {:.2e} is allowed", check.max_abs_error, check.bound);
}

std::string flagged_text(const CaseNoise& noise) {
  std::map<Flag, std::size_t> counts;
  for (const auto& [flag, rounds] : noise.flagged) counts[flag] = rounds.size();
  return noise.disturbed.empty()
             ? "0"
             : fmt::format("{} ({})", noise.disturbed.size(), flags_text(counts));
}

}  // namespace

Markup wrong_outputs(const GroupResult& group) {
  std::vector<TableRow> rows;
  for (const CaseResult& result : group.cases)
    if (result.status == Status::Failed)
      rows.push_back({.heading = name(result.variant),
                      .cells = {{words(result.reason)}, {words(error_text(result.check))}},
                      .css_class = "wrong"});
  if (rows.empty()) return {};
  const std::vector<Column> columns{{"variant"}, {"why"}, {"error of its output"}};
  return table("What failed", columns, rows);
}

Markup noise_ledger(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseNoise& noise = analysis.noise[i];
    if (noise.rounds == 0) continue;
    rows.push_back({.heading = name(group.cases[i].variant),
                    .cells = {{words(std::to_string(noise.rounds)), true},
                              {words(flagged_text(noise))},
                              {words(format_percent(noise.steal_share)), true},
                              {words(fmt::format("{:.2f}", noise.autocorrelation)), true},
                              {words(noise.drift ? fmt::format("{}{}", factor(noise.drift->value),
                                                               noise.drifts ? ", drifts" : "")
                                                 : ""),
                               true}}});
  }
  if (rows.empty()) return {};
  const std::vector<Column> columns{{"variant"}, {"rounds"}, {"disturbed"},
                                    {"stolen"},  {"lag-1"},  {"last third / first"}};
  return table("What disturbed the rounds", columns, rows);
}

}  // namespace normbench::html
