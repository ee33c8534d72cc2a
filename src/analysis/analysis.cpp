#include "analysis/analysis.h"

#include <algorithm>

namespace normbench {
namespace {

/// Distance between the quartiles over the median.
double relative_spread(std::vector<double> times) {
  std::ranges::sort(times);
  const double middle = median(times);
  const std::size_t quarter = times.size() / 4;
  return middle > 0 ? (times[times.size() - 1 - quarter] - times[quarter]) / middle : 0;
}

void add_quality(const GroupResult& group, const Results& results, GroupAnalysis& analysis) {
  const CaseResult* baseline = nullptr;
  for (const CaseResult& result : group.cases)
    if (result.variant == group.baseline && measured(result)) baseline = &result;
  Quality quality;
  quality.of_ratios = !analysis.pairs.empty();
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseAnalysis& one = analysis.cases[i];
    if (!one.time_ns) continue;
    const auto times = times_ns(group.cases[i], results);
    quality.spread = std::max(quality.spread, relative_spread(times));
    const bool alone = analysis.pairs.empty() || baseline == nullptr;
    if (alone || &group.cases[i] != baseline)
      quality.half_width =
          std::max(quality.half_width, half_width(alone ? *one.time_ns : *one.ratio));
    if (baseline != nullptr && &group.cases[i] != baseline)
      analysis.autocorrelation =
          std::max(analysis.autocorrelation,
                   lag1_autocorrelation(log_ratios(times, times_ns(*baseline, results))));
  }
  analysis.quality =
      quality_of(quality, analysis.noise, precision_of(group, results), results.quick);
}

}  // namespace

GroupAnalysis analyse(const GroupResult& group, const Results& results) {
  GroupAnalysis analysis;
  for (const CaseResult& result : group.cases)
    analysis.cases.push_back(analyse_case(group, result, results));
  analysis.pairs = compare_pairs(group, results);
  analysis.noise = noise_of(group, results);
  analysis.device = device_states(group);
  analysis.host = host_states(group, results);
  add_quality(group, results, analysis);
  analysis.verdict = judge(group, analysis, results);
  return analysis;
}

}  // namespace normbench
