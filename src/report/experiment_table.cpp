#include "report/experiment_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/case_analysis.h"
#include "analysis/words.h"
#include "core/units.h"
#include "report/clocks.h"
#include "report/pivot.h"
#include "report/text.h"

namespace normbench {

namespace {

std::string percent_or_blank(const std::optional<Interval>& ratio) {
  return ratio ? format_percent(ratio->value) : "";
}

std::string name_cell(const GroupResult& group, const CaseResult& result) {
  return result.variant + (result.variant == group.baseline ? "  (baseline)" : "");
}

std::string speed_up(const GroupResult& group, const CaseResult& result,
                     const CaseAnalysis& analysis) {
  if (!analysis.ratio) return "";
  return result.variant == group.baseline ? "1" : factor(1 / analysis.ratio->value);
}

std::string count_or_blank(const std::optional<double>& value, bool any) {
  return any && value ? format_count(std::llround(*value)) : "";
}

std::string one_point(const GroupResult& group, const GroupAnalysis& analysis,
                      const Results& results) {
  std::vector<Column> columns{{"variant", {}, true},
                              {time_title(results), {}},
                              {"±", {}},
                              {other_time_title(results), {}},
                              {"speed-up", {}},
                              {"images/s", {}},
                              {"faults", {}},
                              {"of limit", {}},
                              {"published", {}}};
  const bool faults = std::ranges::any_of(
      analysis.cases, [](const CaseAnalysis& one) { return one.faults.value_or(0) >= 0.5; });
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseAnalysis& one = analysis.cases[i];
    if (!one.time_ns) continue;
    const std::vector<std::string> row{
        name_cell(group, group.cases[i]),
        format_ms(one.time_ns->value),
        format_percent(half_width(*one.time_ns)),
        other_time(group.cases[i], results),
        analysis.pairs.empty() ? "" : speed_up(group, group.cases[i], one),
        count_or_blank(one.images_per_second, true),
        count_or_blank(one.faults, faults),
        percent_or_blank(one.of_limit),
        one.published_ms ? format_ms(*one.published_ms * 1e6) + " ms" : ""};
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].cells.push_back(row[c]);
  }
  return columns_text(columns, 2);
}

}  // namespace

std::string experiment_table(const Experiment& experiment, const Results& results) {
  if (experiment.groups.size() > 1) return pivot(experiment, results);
  const GroupAnalysis& only = experiment.analyses[0];
  const bool ran = std::ranges::any_of(
      only.cases, [](const CaseAnalysis& one) { return one.time_ns.has_value(); });
  return ran ? one_point(*experiment.groups[0], only, results) : "";
}

namespace {

/// "442 MB", or "1.2 MB to 442 MB" over the points of a sweep.
std::string bytes_range(std::int64_t least, std::int64_t most) {
  const std::string from = format_bytes(static_cast<double>(least));
  return least == most ? from : from + " to " + format_bytes(static_cast<double>(most));
}

/// A variant that was not measured at some points. A skipped one has the bytes it would move there:
/// arithmetic that holds without measuring.
struct LeftOut {
  std::string variant;
  std::int64_t least, most, least_link, most_link;

  static LeftOut of(const CaseResult& result) {
    if (result.status != Status::Skipped || !result.peer.empty())
      return {result.variant, 0, 0, 0, 0};
    std::int64_t bytes = 0;
    for (const StageResult& stage : result.stages) bytes += stage.bytes;
    const std::int64_t link = link_bytes(result);
    return {result.variant, bytes, bytes, link, link};
  }
  void add(const LeftOut& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    least_link = std::min(least_link, other.least_link);
    most_link = std::max(most_link, other.most_link);
  }
  std::string text() const {
    if (most == 0) return variant;
    const std::string link =
        most_link == 0 ? "" : ", " + bytes_range(least_link, most_link) + " over the link";
    return fmt::format("{} (moves {}{})", variant, bytes_range(least, most), link);
  }
};

void add(std::vector<LeftOut>& list, const LeftOut& one) {
  const auto same = std::ranges::find(list, one.variant, &LeftOut::variant);
  if (same == list.end())
    list.push_back(one);
  else
    same->add(one);
}

}  // namespace

std::string left_out(const Experiment& experiment) {
  std::vector<std::pair<std::string, std::vector<LeftOut>>> reasons;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases) {
      if (result.status == Status::Ok && !result.rounds.empty()) continue;
      const std::string what = result.status == Status::Failed    ? "Failed"
                               : result.status == Status::Skipped ? "Skipped"
                                                                  : "Not measured";
      const std::string why = result.reason.empty() ? what : what + " (" + result.reason + ")";
      auto at = std::ranges::find(reasons, why, [](const auto& entry) { return entry.first; });
      if (at == reasons.end()) at = reasons.insert(reasons.end(), {why, {}});
      add(at->second, LeftOut::of(result));
    }
  std::string text;
  for (const auto& [why, variants] : reasons) {
    std::vector<std::string> texts;
    for (const LeftOut& variant : variants) texts.push_back(variant.text());
    text += wrapped(fmt::format("{}: {}", why, fmt::join(texts, " · ")), 2);
  }
  return text;
}

}  // namespace normbench
