#include "analysis/sweep/sweep.h"

#include <algorithm>

namespace normbench {
namespace {

bool is_numeric(const Experiment& experiment, const std::string& axis) {
  return std::ranges::all_of(experiment.groups, [&](const GroupResult* group) {
    return group->point.contains(axis) && amount_of(group->point[axis]);
  });
}

AxisLine& line_with(std::vector<AxisLine>& lines, const std::string& axis, const Json& fixed) {
  const auto at = std::ranges::find_if(
      lines, [&](const AxisLine& line) { return line.axis == axis && line.fixed == fixed; });
  return at != lines.end()
             ? *at
             : lines.emplace_back(AxisLine{.axis = axis, .fixed = fixed, .points = {}});
}

}  // namespace

std::vector<Experiment> experiments(const Results& results) {
  std::vector<Experiment> list;
  for (const GroupResult& group : results.groups) {
    if (list.empty() || list.back().groups[0]->experiment != group.experiment) list.emplace_back();
    list.back().groups.push_back(&group);
    list.back().analyses.push_back(analyse(group, results));
  }
  for (Experiment& experiment : list)
    for (const MissingGroup& group : results.missing.value_or(std::vector<MissingGroup>()))
      if (group.processes == 0 && group.experiment == experiment.groups[0]->experiment)
        ++experiment.not_reached;
  return list;
}

std::optional<double> amount_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
    return std::nullopt;
  return value[0].get<double>() * value[1].get<double>();
}

std::vector<AxisLine> axis_lines(const Experiment& experiment) {
  std::vector<AxisLine> lines;
  for (const auto& [axis, unused] : experiment.groups[0]->point.items()) {
    if (!is_numeric(experiment, axis)) continue;
    for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
      Json fixed = experiment.groups[g]->point;
      const Json value = fixed[axis];
      fixed.erase(axis);
      line_with(lines, axis, fixed)
          .points.push_back({.group = g, .value = value, .amount = *amount_of(value)});
    }
  }
  for (AxisLine& line : lines) std::ranges::stable_sort(line.points, {}, &AxisLine::Point::amount);
  std::erase_if(lines, [](const AxisLine& line) {
    return line.points.front().amount == line.points.back().amount;
  });
  return lines;
}

std::optional<int> measured_case(const Experiment& experiment, std::size_t group,
                                 const std::string& variant) {
  const int index = index_of(*experiment.groups[group], variant);
  const bool found = index >= 0 && experiment.analyses[group].cases[index].time_ns;
  return found ? std::optional(index) : std::nullopt;
}

std::vector<std::string> measured_variants(const Experiment& experiment, const AxisLine& line) {
  std::vector<std::string> names;
  for (const AxisLine::Point& point : line.points)
    for (const CaseResult& result : experiment.groups[point.group]->cases)
      if (measured_case(experiment, point.group, result.variant) &&
          std::ranges::find(names, result.variant) == names.end())
        names.push_back(result.variant);
  return names;
}

std::vector<EmptyInput> empty_inputs(const Experiment& experiment) {
  std::vector<EmptyInput> list;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (int i = 0; i < static_cast<int>(experiment.groups[g]->cases.size()); ++i) {
      const CaseResult& result = experiment.groups[g]->cases[i];
      // A loader has no source, but its files have bytes.
      const bool has_bytes = result.source_bytes > 0 || loads(result);
      if (measured(result) && (result.images <= 0 || !has_bytes)) list.push_back({g, i});
    }
  return list;
}

}  // namespace normbench
