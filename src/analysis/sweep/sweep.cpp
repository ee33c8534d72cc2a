#include "analysis/sweep/sweep.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace normbench {
namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_numeric(const Experiment& experiment, const std::string& axis) {
  return std::ranges::all_of(experiment.groups, [&](const GroupResult* group) {
    return group->point.contains(axis) && amount_of(group->point[axis]);
  });
}

void add_lines(const Experiment& experiment, const std::string& axis,
               std::vector<AxisLine>& lines) {
  std::map<std::string, std::size_t> indices;  // index in `lines` by the values of the other axes
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    Json fixed = experiment.groups[g]->point;
    const Json value = fixed[axis];
    fixed.erase(axis);
    const auto [at, is_new] = indices.emplace(text_of(fixed), lines.size());
    if (is_new) lines.push_back(AxisLine{.axis = axis, .fixed = std::move(fixed), .points = {}});
    lines[at->second].points.push_back({.group = g, .value = value, .amount = *amount_of(value)});
  }
}

}  // namespace

std::optional<double> amount_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
    return std::nullopt;
  return value[0].get<double>() * value[1].get<double>();
}

std::vector<AxisLine> axis_lines(const Experiment& experiment) {
  std::vector<AxisLine> lines;
  for (const auto& [axis, unused] : experiment.groups[0]->point.items()) {
    if (is_numeric(experiment, axis)) add_lines(experiment, axis, lines);
  }
  for (AxisLine& line : lines) std::ranges::stable_sort(line.points, {}, &AxisLine::Point::amount);
  std::erase_if(lines, [](const AxisLine& line) {
    return line.points.front().amount == line.points.back().amount;
  });
  return lines;
}

std::optional<int> measured_case(const Experiment& experiment, std::size_t group,
                                 const std::string& variant) {
  const GroupAnalysis& analysis = experiment.analyses[group];
  const auto found = analysis.indices.find(variant);
  if (found == analysis.indices.end() || !analysis.cases[found->second].time_ns)
    return std::nullopt;
  return found->second;
}

std::vector<std::string> measured_variants(const Experiment& experiment, const AxisLine& line) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const AxisLine::Point& point : line.points)
    for (const CaseResult& result : experiment.groups[point.group]->cases)
      if (measured_case(experiment, point.group, result.variant) &&
          seen.insert(result.variant).second)
        names.push_back(result.variant);
  return names;
}

std::vector<EmptyInput> empty_inputs(const Experiment& experiment) {
  std::vector<EmptyInput> list;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (int i = 0; i < static_cast<int>(experiment.groups[g]->cases.size()); ++i) {
      const CaseResult& result = experiment.groups[g]->cases[i];
      // A case whose first stage makes its batches has no source, but its batches have bytes.
      const bool makes_batches = !result.stages.empty() && roles_of(result.stages.front()).starts;
      const bool has_bytes = result.source_bytes > 0 || makes_batches;
      if (measured(result) && (result.images <= 0 || !has_bytes)) list.push_back({g, i});
    }
  return list;
}

}  // namespace normbench
