#include "analysis/axis.h"

#include <algorithm>

#include "analysis/words.h"

namespace normbench {

namespace {

/// True when every group has this axis with a numeric value.
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

std::string AxisLine::where() const { return fixed.empty() ? "" : " at " + point_text(fixed); }

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
  const std::vector<CaseResult>& cases = experiment.groups[group]->cases;
  const auto at = std::ranges::find(cases, variant, &CaseResult::variant);
  if (at == cases.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(at - cases.begin());
  if (!experiment.analyses[group].cases[index].time_ns) return std::nullopt;
  return static_cast<int>(index);
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

}  // namespace normbench
