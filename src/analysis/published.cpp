#include "analysis/published.h"

#include <algorithm>
#include <cmath>

#include "analysis/case_analysis.h"

namespace normbench {
namespace {

/// Host and device time in ns per iteration.
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

/// Returns the sum of host and device times of the stages with this label. If `label` is "", sums
/// over all stages. Returns nothing if a time is not known.
std::optional<double> sum_of(const CaseResult& result, const std::string& label) {
  if (!measured(result)) return std::nullopt;
  double ns = 0;
  for (const StageResult& stage : result.stages) {
    if (!label.empty() && stage.label != label) continue;
    const HostAndDevice times = stage_times(result, stage);
    if (!times.wall || (stage.place != Place::Cpu && !times.device)) return std::nullopt;
    ns += *times.wall + times.device.value_or(0);
  }
  return ns;
}

std::optional<double> first_call_ms(const CaseResult& result) {
  if (!measured(result) || result.first_call_ns <= 0) return std::nullopt;
  return static_cast<double>(result.first_call_ns) / 1e6;
}

double per_item_ms(const Published& published) {
  return *published.wall_ms / static_cast<double>(std::max<std::int64_t>(1, published.items));
}

/// Returns true if the variant is a pipeline that has a stage with this label.
bool runs_stage(const GroupResult& group, const std::string& variant, const std::string& label) {
  const int index = index_of(group, variant);
  if (index < 0 || !group.cases[static_cast<std::size_t>(index)].pipeline) return false;
  const auto& stages = group.cases[static_cast<std::size_t>(index)].stages;
  return std::ranges::find(stages, label, &StageResult::label) != stages.end();
}

}  // namespace

std::vector<PublishedFigure> published_figures(const GroupResult& group,
                                               const GroupAnalysis& analysis,
                                               const Published& published) {
  const int index = index_of(group, published.variant);
  const CaseResult nothing;
  const CaseResult& result = index < 0 ? nothing : group.cases[index];
  const HostAndDevice times = times_of(result, published.stage);
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
  add(FigureKind::Sum, published.sum_ms, sum_of(result, published.stage));
  add(FigureKind::Submitted, published.submitted_ms,
      measured(result) ? submitted_ns(result) : std::nullopt);
  if (published.first_call_ms)
    figures.push_back({.kind = FigureKind::FirstCall,
                       .published = *published.first_call_ms,
                       .here = first_call_ms(result)});
  if (!published.speed_up) return figures;
  PublishedFigure& speed_up = figures.emplace_back();
  speed_up.kind = FigureKind::SpeedUp;
  speed_up.published = *published.speed_up;
  if (index >= 0 && analysis.cases[index].ratio)
    speed_up.here = 1 / analysis.cases[index].ratio->value;
  return figures;
}

std::vector<PublishedOverlap> published_overlaps(const GroupResult& group) {
  std::vector<PublishedOverlap> overlaps;
  for (const Published& whole : group.published)
    for (const Published& stage : group.published) {
      if (!whole.stage.empty() || stage.stage.empty() || stage.variant != whole.variant) continue;
      if (!whole.wall_ms || !stage.wall_ms || whole.items == 0 || stage.items != whole.items)
        continue;
      const double whole_ms = per_item_ms(whole), stage_ms = per_item_ms(stage);
      const double rest_ms = whole_ms - stage_ms;
      if (!runs_stage(group, whole.variant, stage.stage) || rest_ms <= 0) continue;
      const double overlapped_ms = std::max(stage_ms, rest_ms);
      const auto faster = std::ranges::find_if(group.published, [&](const Published& other) {
        return other.stage.empty() && other.wall_ms && per_item_ms(other) < overlapped_ms &&
               runs_stage(group, other.variant, stage.stage);
      });
      overlaps.push_back({.whole = &whole,
                          .stage = &stage,
                          .whole_ms = whole_ms,
                          .stage_ms = stage_ms,
                          .overlapped_ms = overlapped_ms,
                          .servers = static_cast<std::int64_t>(std::ceil(stage_ms / rest_ms)),
                          .faster = faster == group.published.end() ? nullptr : &*faster});
    }
  return overlaps;
}

}  // namespace normbench
