#include <fmt/format.h>

#include <algorithm>

#include "report/html/charts.h"
#include "report/words.h"

namespace normbench::html {
namespace {

/// Returns the values of a sweep axis, in the order of the experiment's points.
std::vector<Json> values_of(const Experiment& experiment, const std::string& axis) {
  std::vector<Json> values;
  for (const GroupResult* group : experiment.groups)
    if (group->point.contains(axis) &&
        std::ranges::find(values, group->point[axis]) == values.end())
      values.push_back(group->point[axis]);
  return values;
}

/// Returns the names of the sweep axes with at least two values.
std::vector<std::string> swept_axes(const Experiment& experiment) {
  std::vector<std::string> axes;
  for (const auto& [axis, value] : experiment.groups.front()->point.items())
    if (values_of(experiment, axis).size() > 1) axes.push_back(axis);
  return axes;
}

std::vector<std::string> winners_of(const Experiment& experiment) {
  std::vector<std::string> winners;
  for (const GroupAnalysis& analysis : experiment.analyses)
    if (const std::string& winner = analysis.verdict.winner;
        !winner.empty() && std::ranges::find(winners, winner) == winners.end())
      winners.push_back(winner);
  return winners;
}

Markup cell_of(const GroupResult& group, const GroupAnalysis& analysis,
               const std::vector<std::string>& winners) {
  const Verdict& verdict = analysis.verdict;
  if (verdict.outcome == Outcome::Winner) {
    const auto at = std::ranges::find(winners, verdict.winner) - winners.begin();
    const std::string by = !verdict.advantage
                               ? ""
                               : fmt::format(" {} the {}", factor(verdict.advantage->factor),
                                             verdict.advantage->of_baseline ? "baseline" : "next");
    return Element{"span", {{"class", "key " + colour(static_cast<std::size_t>(at))}}}(
               name(verdict.winner)) +
           Element{"small"}(words(by));
  }
  if (verdict.outcome == Outcome::Tie)
    return words("tie of " + spoken_cases(group, verdict.fastest));
  if (verdict.outcome == Outcome::Inconclusive) return words("inconclusive");
  if (verdict.outcome != Outcome::NothingRan) return words("not ranked");
  const std::string failed = failed_text(group);
  return words(failed.empty() ? "nothing ran" : failed);
}

/// Returns the group whose point has all values in `fixed`, and sets `index` to the index of the
/// group. Returns null if there is no such group.
const GroupResult* group_at(const Experiment& experiment, const Json& fixed, std::size_t& index) {
  for (index = 0; index < experiment.groups.size(); ++index) {
    const Json& point = experiment.groups[index]->point;
    const bool fits = std::ranges::all_of(fixed.items(), [&](const auto& entry) {
      return point.value(entry.key(), Json()) == entry.value();
    });
    if (fits) return experiment.groups[index];
  }
  return nullptr;
}

Markup one_map(const Experiment& experiment, const std::string& down, const std::string& across,
               const Json& fixed, const std::vector<std::string>& winners) {
  std::vector<Column> columns{{fmt::format("{} \\ {}", down, across)}};
  for (const Json& value : values_of(experiment, across)) columns.push_back({axis_value(value)});
  std::vector<TableRow> rows;
  for (const Json& row_value : values_of(experiment, down)) {
    TableRow row{.heading = words(axis_value(row_value)), .cells = {}};
    for (const Json& value : values_of(experiment, across)) {
      Json point = fixed;
      point[down] = row_value;
      point[across] = value;
      std::size_t index = 0;
      const GroupResult* const group = group_at(experiment, point, index);
      row.cells.push_back(
          {group == nullptr ? words("") : cell_of(*group, experiment.analyses[index], winners)});
    }
    rows.push_back(std::move(row));
  }
  const std::string where = fixed.empty() ? "" : " at " + point_text(fixed);
  return table(fmt::format("Who is fastest{}", where), columns, rows);
}

}  // namespace

Markup winner_map(const Experiment& experiment) {
  const std::vector<std::string> axes = swept_axes(experiment);
  if (axes.size() < 2) return {};
  const std::vector<std::string> winners = winners_of(experiment);
  std::vector<Json> others;  // combinations of values of all axes except axes[0] and axes[1]
  for (const GroupResult* group : experiment.groups) {
    Json fixed = group->point;
    fixed.erase(axes[0]);
    fixed.erase(axes[1]);
    if (std::ranges::find(others, fixed) == others.end()) others.push_back(fixed);
  }
  Markup maps;
  for (const Json& fixed : others) maps += one_map(experiment, axes[0], axes[1], fixed, winners);
  return block("map", maps);
}

}  // namespace normbench::html
