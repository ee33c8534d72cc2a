#include "report/pivot.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/words.h"
#include "core/units.h"
#include "report/text.h"

namespace normbench {

namespace {

/// Variants that ran at some point, in order of first appearance.
std::vector<std::string> measured_variants(const Experiment& experiment) {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (std::size_t i = 0; i < experiment.groups[g]->cases.size(); ++i) {
      const std::string& name = experiment.groups[g]->cases[i].variant;
      if (!experiment.analyses[g].cases[i].time_ns) continue;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return names;
}

int index_of(const GroupResult& group, const std::string& variant) {
  const auto at = std::ranges::find(group.cases, variant, &CaseResult::variant);
  return at == group.cases.end() ? -1 : static_cast<int>(at - group.cases.begin());
}

std::string pivot_cell(const GroupResult& group, const GroupAnalysis& analysis,
                       const std::string& variant) {
  const int i = index_of(group, variant);
  if (i < 0) return "-";
  if (!analysis.cases[i].time_ns) return group.cases[i].status == Status::Failed ? "failed" : "-";
  const bool fastest =
      std::ranges::find(analysis.verdict.fastest, i) != analysis.verdict.fastest.end();
  const char* mark = !fastest                                      ? ""
                     : analysis.verdict.outcome == Outcome::Winner ? "*"
                     : analysis.verdict.outcome == Outcome::Tie    ? "="
                                                                   : "";
  return mark + format_ms(analysis.cases[i].time_ns->value);
}

std::string axes_names(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items()) text += (text.empty() ? "" : ", ") + axis;
  return text;
}

std::string axes_values(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items())
    text += (text.empty() ? "" : ", ") + axis_value(value);
  return text;
}

/// Columns side by side, in as many blocks below each other as the width asks for.
std::string in_blocks(const Column& names, const std::vector<Column>& points) {
  constexpr std::size_t kNames = 40, kWidth = 100;
  std::string text;
  for (std::size_t next = 0; next < points.size();) {
    std::vector<Column> block{names};
    std::size_t width = 2 + std::min(kNames, column_width(names));
    for (; next < points.size(); ++next) {
      width += 2 + column_width(points[next]);
      if (width > kWidth && block.size() > 1) break;
      block.push_back(points[next]);
    }
    text += columns_text(block, 2);
  }
  return text;
}

bool has_outcome(const Experiment& experiment, Outcome outcome) {
  return std::ranges::any_of(experiment.analyses, [&](const GroupAnalysis& analysis) {
    return analysis.verdict.outcome == outcome;
  });
}

}  // namespace

std::string pivot(const Experiment& experiment, const Results& results) {
  Column names{axes_names(experiment.groups[0]->point), measured_variants(experiment), true};
  if (names.cells.empty()) return "";
  std::vector<Column> points;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    Column& column = points.emplace_back(Column{axes_values(experiment.groups[g]->point), {}});
    for (const std::string& name : names.cells)
      column.cells.push_back(pivot_cell(*experiment.groups[g], experiment.analyses[g], name));
  }
  const GroupResult& last = *experiment.groups.back();
  Column& limit = points.emplace_back(Column{"of limit", {}});
  for (const std::string& name : names.cells) {
    const int i = index_of(last, name);
    const auto of_limit = i < 0 ? std::nullopt : experiment.analyses.back().cases[i].of_limit;
    limit.cells.push_back(of_limit ? format_percent(of_limit->value) : "");
  }
  for (std::string& name : names.cells)
    if (name == last.baseline) name += "  (baseline)";
  std::string legend = results.clock == DecidingClock::Device ? "GPU ms per batch" : "ms per batch";
  legend += "; * fastest";
  if (has_outcome(experiment, Outcome::Tie)) legend += ", = tied";
  if (std::ranges::any_of(limit.cells, [](const std::string& cell) { return !cell.empty(); }))
    legend += "; of limit at " + point_text(last.point);
  return in_blocks(names, points) + wrapped(legend, 2);
}

}  // namespace normbench
