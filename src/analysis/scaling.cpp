#include "analysis/scaling.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/case_analysis.h"
#include "analysis/fit.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kLeastWork = 2;

/// The most that a time may grow by, of itself, to count as the same for `work` times the bytes.
double same_growth(double work) { return std::min(0.25, (work - 1) / 10); }

/// A measured point of a variant.
struct Measured {
  Json value;
  double bytes;
  Interval time_ns;
};

std::vector<Measured> measured_points(const Experiment& experiment, const AxisLine& line,
                                      const std::string& variant) {
  std::vector<Measured> points;
  for (const AxisLine::Point& point : line.points)
    if (const auto index = measured_case(experiment, point.group, variant))
      points.push_back({.value = point.value,
                        .bytes = moved_bytes(experiment.groups[point.group]->cases[*index]),
                        .time_ns = *experiment.analyses[point.group].cases[*index].time_ns});
  return points;
}

}  // namespace

std::vector<Unscaled> unscaled(const Experiment& experiment, const AxisLine& line) {
  std::vector<Unscaled> list;
  for (const std::string& variant : measured_variants(experiment, line)) {
    const std::vector<Measured> points = measured_points(experiment, line, variant);
    const Measured &small = points.front(), &large = points.back();
    if (small.bytes <= 0 || large.bytes < kLeastWork * small.bytes) continue;
    const double work = large.bytes / small.bytes;
    if (large.time_ns.high >= small.time_ns.low * (1 + same_growth(work))) continue;
    std::vector<double> times;
    for (const Measured& point : points) times.push_back(point.time_ns.value);
    list.push_back({.variant = variant,
                    .small = small.value,
                    .large = large.value,
                    .work = work,
                    .fixed_ns = median(times)});
  }
  return list;
}

std::string unscaled_text(const AxisLine& line, const Unscaled& result) {
  return fmt::format(
      "Does not scale: {}{} takes no longer at {} {} than at {}, for {} the bytes; it measured "
      "something else, or a fixed cost of {} ms bounds it",
      spoken(result.variant), line.where(), line.axis, axis_value(result.large),
      axis_value(result.small), factor(result.work), format_ms(result.fixed_ns));
}

std::vector<std::string> empty_inputs(const Experiment& experiment) {
  std::vector<std::string> lines;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases) {
      if (!measured(result) || (result.images > 0 && result.source_bytes > 0)) continue;
      lines.push_back(fmt::format(
          "No input: {}{} ({} images, {}), so its time means nothing", spoken(result.variant),
          group->point.empty() ? "" : " at " + point_text(group->point),
          format_count(result.images), format_bytes(static_cast<double>(result.source_bytes))));
    }
  return lines;
}

}  // namespace normbench
