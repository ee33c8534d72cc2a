#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/causes.h"
#include "analysis/factors.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kFaultShare = 0.2;  // faults below this share explain nothing

bool all_reused(const CaseResult& result) {
  return std::ranges::all_of(
      result.stages, [](const StageResult& stage) { return stage.output == OutputPolicy::Reuse; });
}

/// The measured case that does the same without faults, or null.
const CaseResult* reused_twin(const GroupResult& group, const CaseResult& result, double faults) {
  for (const CaseResult& other : group.cases)
    if (measured(other) && all_reused(other) && only_outputs(factors(result, other)) &&
        faults_per_iteration(other) < 0.1 * faults)
      return &other;
  return nullptr;
}

std::optional<double> first_touch_cost_ns(const GroupResult& group, const Results& results) {
  for (const CaseResult& limit : group.limits)
    if (measured(limit) && has_op(limit, "first_touch") && faults_per_iteration(limit) >= 1)
      return median_ns(limit, results) / faults_per_iteration(limit);
  return std::nullopt;
}

}  // namespace

std::optional<FaultCost> fault_cost(const GroupResult& group, int index, const Results& results) {
  const CaseResult& result = group.cases[index];
  const double faults = measured(result) ? faults_per_iteration(result) : 0;
  if (faults < 1) return std::nullopt;
  const double time = median_ns(result, results);
  FaultCost cost;
  cost.faults = faults;
  if (const CaseResult* twin = reused_twin(group, result, faults)) {
    cost.reused_ns = median_ns(*twin, results);
    cost.cost_ns = (time - *cost.reused_ns) / (faults - faults_per_iteration(*twin));
  } else if (const auto touch = first_touch_cost_ns(group, results)) {
    cost.cost_ns = *touch;
  }
  if (cost.cost_ns <= 0) return std::nullopt;
  // The first touch's cost is another buffer's: it may not explain more than all of the time.
  cost.share = std::min(1.0, cost.cost_ns * faults / time);
  return cost;
}

Cause page_fault_cause(const Subject& subject) {
  const auto cost = fault_cost(subject.group, subject.index, subject.results);
  if (!cost || cost->share < kFaultShare) return {};
  std::string sentence = fmt::format(
      "page faults. {} a batch at {} us = {} of its time", format_count(std::llround(cost->faults)),
      format_significant(cost->cost_ns / 1000, 2), format_percent(cost->share));
  if (cost->reused_ns)
    sentence +=
        fmt::format("; output reused, the same ops take {} ms", format_ms(*cost->reused_ns));
  return {"page faults", sentence + ".", cost->share, cost->reused_ns.has_value()};
}

}  // namespace normbench
