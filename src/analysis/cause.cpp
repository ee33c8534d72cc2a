#include "analysis/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/case_analysis.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kFaultShare = 0.2;      // faults below this share explain nothing
constexpr double kConstantsShare = 0.2;  // time that caching would save whole
constexpr double kDominant = 0.5;        // of the time: most of it
constexpr double kOneStage = 0.6;
constexpr double kExtraPasses = 1.5;  // bytes moved over the fewest

bool all_outputs(const CaseResult& result, const std::string& policy) {
  return std::ranges::all_of(result.stages,
                             [&](const StageResult& s) { return s.output == policy; });
}

bool same_ops(const CaseResult& a, const CaseResult& b) {
  return a.source_bytes == b.source_bytes && a.threads == b.threads &&
         std::ranges::equal(a.stages, b.stages, {}, &StageResult::op, &StageResult::op);
}

/// The measured case that does the same without faults, or null.
const CaseResult* reused_twin(const GroupResult& group, const CaseResult& result, double faults) {
  for (const CaseResult& other : group.cases)
    if (measured(other) && same_ops(result, other) && all_outputs(other, "reuse") &&
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

/// The part of the profiled time that ranges of this name took themselves.
double profiled_share(const GroupResult& group, const std::string& variant,
                      const std::string& name) {
  double total = 0, own = 0;
  for (const CaseProfile& profile : group.profile) {
    if (profile.variant != variant) continue;
    for (const ProfileRow& row : profile.rows) {
      total += static_cast<double>(row.self_cpu_ns);
      if (row.name == name) own += static_cast<double>(row.self_cpu_ns);
    }
  }
  return total > 0 ? own / total : 0;
}

Cause page_faults(const FaultCost& cost) {
  std::string sentence = fmt::format(
      "page faults. {} a batch at {} us = {} of its time", format_count(std::llround(cost.faults)),
      format_significant(cost.cost_ns / 1000, 2), format_percent(cost.share));
  if (cost.reused_ns)
    sentence += fmt::format("; output reused, the same ops take {} ms", format_ms(*cost.reused_ns));
  return {"page faults", sentence + "."};
}

/// Bytes that go through memory more than once: every stage's against source and result. `share`:
/// the part of the time that moving them at the limit's rate takes, where the limit is known.
struct Passes {
  double moved = 0, fewest = 0;
  std::optional<double> share;

  bool extra() const { return fewest > 0 && moved >= kExtraPasses * fewest; }
};

Passes passes(const CaseResult& result, const CaseAnalysis& analysis) {
  Passes passes;
  if (link_bytes(result) > 0) return passes;  // source and result are in different memories
  passes.fewest = static_cast<double>(result.source_bytes + result.result_bytes);
  for (const StageResult& stage : result.stages) passes.moved += static_cast<double>(stage.bytes);
  if (analysis.of_limit && passes.fewest > 0)
    passes.share = analysis.of_limit->value * passes.moved / passes.fewest;
  return passes;
}

Cause extra_passes(const Passes& passes) {
  std::string sentence = fmt::format(
      "extra passes over memory. It moves {:.1f}x the fewest bytes ({} for {})",
      passes.moved / passes.fewest, format_bytes(passes.moved), format_bytes(passes.fewest));
  // Above 1 the caches carried some of it, and the share says nothing.
  if (passes.share && *passes.share < 1)
    sentence += fmt::format(", which at the limit's rate accounts for {} of its time",
                            format_percent(*passes.share));
  return {"extra passes", sentence + "."};
}

Cause dominant_stage(const CaseResult& result) {
  if (result.stages.size() < 2) return {};
  for (const StageResult& stage : result.stages)
    if (const double share = stage_share(result, stage); share >= kOneStage)
      return {stage.label,
              fmt::format("{}. It takes {} of its time.", stage.label, format_percent(share))};
  return {};
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

Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const Results& results) {
  const CaseResult& result = group.cases[index];
  if (const auto cost = fault_cost(group, index, results); cost && cost->share >= kFaultShare)
    return page_faults(*cost);
  if (const double share = profiled_share(group, result.variant, "constants");
      share >= kConstantsShare)
    return {"constants", fmt::format("constants. Preparing them on every call takes {} of its time "
                                     "(profiled).",
                                     format_percent(share))};
  for (const StageResult& stage : result.stages)
    if (const double share = stage_share(result, stage); stage.op == "load" && share >= kDominant)
      return {"decode", fmt::format("decode. Loading the images takes {} of its time.",
                                    format_percent(share))};
  if (const Cause cause = link_cause(result, analysis); !cause.name.empty()) return cause;
  const Passes moved = passes(result, analysis);
  if (moved.extra() && moved.share.value_or(1) >= kDominant) return extra_passes(moved);
  if (analysis.of_limit && analysis.of_limit->value >= at_limit)
    return {
        "memory",
        fmt::format("memory. {} at {} of the limit: only fewer bytes would be faster.",
                    format_bytes(static_cast<double>(result.source_bytes + result.result_bytes)),
                    format_percent(analysis.of_limit->value))};
  if (const Cause cause = dominant_stage(result); !cause.name.empty()) return cause;
  return moved.extra() ? extra_passes(moved) : Cause{};
}

}  // namespace normbench
