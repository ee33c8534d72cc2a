#include "analysis/pairs.h"
#include "analysis/why/causes.h"

namespace normbench {

std::optional<PreparingCost> preparing_cost(const GroupResult& group, const Pair& to_baseline,
                                            int fastest) {
  const CaseResult& result = group.cases[fastest];
  const CaseResult& baseline =
      group.cases[to_baseline.a == fastest ? to_baseline.b : to_baseline.a];
  if (!to_baseline.different || !baseline.dataset || !result.dataset) return {};
  if (result.dataset->prepare_seconds == 0 || *result.dataset == *baseline.dataset) return {};
  if (result.dataset->images != baseline.dataset->images) return {};
  const auto ns_per_image = [&](const CaseResult& one) {
    return wall_ns(one) / static_cast<double>(one.images);
  };
  const double saved_ns = ns_per_image(baseline) - ns_per_image(result);
  if (saved_ns <= 0) return {};
  return PreparingCost{
      .index = fastest,
      .once_seconds = result.dataset->prepare_seconds,
      .baseline_seconds = baseline.dataset->prepare_seconds,
      .saved_seconds = saved_ns * 1e-9 * static_cast<double>(result.dataset->images)};
}

}  // namespace normbench
