#include "analysis/published.h"

#include <algorithm>

#include "analysis/case_analysis.h"

namespace normbench {
namespace {

/// Host and device nanoseconds per iteration.
struct HostAndDevice {
  std::optional<double> wall, device;
};

HostAndDevice stage_times(const CaseResult& result, const StageResult& stage) {
  const auto known = [&](const std::vector<std::int64_t>& turns_ns) {
    const double ns = per_iteration_ns(result, turns_ns);
    return ns > 0 ? std::optional(ns) : std::nullopt;
  };
  if (stage.place == Place::Cpu) return {.wall = known(stage.rounds_ns), .device = {}};
  return {.wall = known(stage.calls_ns), .device = known(stage.rounds_ns)};
}

HostAndDevice times_of(const CaseResult& result, const std::string& label) {
  if (!measured(result)) return {};
  if (label.empty()) return {.wall = wall_ns(result), .device = device_ns(result)};
  const auto stage = std::ranges::find(result.stages, label, &StageResult::label);
  return stage == result.stages.end() ? HostAndDevice{} : stage_times(result, *stage);
}

std::optional<double> sum(const HostAndDevice& times) {
  if (!times.wall || !times.device) return times.wall;
  return *times.wall + *times.device;
}

}  // namespace

std::vector<PublishedFigure> published_figures(const GroupResult& group,
                                               const Published& published) {
  const int index = index_of(group, published.variant);
  const int baseline = index_of(group, group.baseline);
  const HostAndDevice times =
      index < 0 ? HostAndDevice{} : times_of(group.cases[index], published.stage);
  const HostAndDevice of_baseline =
      baseline < 0 ? HostAndDevice{} : times_of(group.cases[baseline], "");
  const auto iterations = static_cast<double>(std::max<std::int64_t>(1, published.items));
  std::vector<PublishedFigure> figures;
  const auto add = [&](FigureKind kind, const std::optional<double>& ms,
                       const std::optional<double>& ns) {
    if (ms)
      figures.push_back({.kind = kind,
                         .published = *ms / iterations,
                         .here = ns ? std::optional(*ns / 1e6) : std::nullopt});
  };
  add(FigureKind::Wall, published.wall_ms, times.wall);
  add(FigureKind::Device, published.device_ms, times.device);
  add(FigureKind::Sum, published.sum_ms, sum(times));
  if (published.speed_up)
    figures.push_back({.kind = FigureKind::SpeedUp,
                       .published = *published.speed_up,
                       .here = times.wall && of_baseline.wall
                                   ? std::optional(*of_baseline.wall / *times.wall)
                                   : std::nullopt});
  return figures;
}

}  // namespace normbench
