#include "analysis/why/causes.h"

namespace normbench {

std::optional<PreparingCost> preparing_cost(const GroupResult& group, int fastest,
                                            const Results& results) {
  const CaseResult& result = group.cases[fastest];
  const auto baseline = std::ranges::find(group.cases, group.baseline, &CaseResult::variant);
  if (baseline == group.cases.end() || !measured(*baseline) || !baseline->dataset) return {};
  if (!result.dataset || result.dataset->prepare_seconds == 0) return {};
  const auto ns_per_image = [&](const CaseResult& one) {
    return median_ns(one, results) / static_cast<double>(one.images);
  };
  const double saved_ns = ns_per_image(*baseline) - ns_per_image(result);
  if (saved_ns <= 0) return {};
  return PreparingCost{
      .index = fastest,
      .once_seconds = result.dataset->prepare_seconds,
      .saved_seconds = saved_ns * 1e-9 * static_cast<double>(result.dataset->images)};
}

}  // namespace normbench
