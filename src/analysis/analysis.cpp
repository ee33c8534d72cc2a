#include "analysis/analysis.h"

#include <algorithm>

#include "document/held_up.h"

namespace normbench {
namespace {

/// Returns the distance between the quartiles divided by the median, without times of 0. Returns 0
/// if no time is left.
double relative_spread(std::vector<double> times) {
  std::erase_if(times, [](double ns) { return ns <= 0; });
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
    if (alone || (one.ratio && &group.cases[i] != baseline))
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

double others_share_of(const CaseResult& result) {
  std::vector<double> shares;
  for (const Round& round : result.rounds) shares.push_back(others_share(result, round));
  return median(std::move(shares));
}

std::vector<Busy::CpuRatio> cpu_ratios(const GroupResult& group) {
  std::vector<Busy::CpuRatio> ratios;
  const int baseline = index_of(group, group.baseline);
  const auto is_told = [](const CaseResult& result) {
    return measured(result) && never_blocks(result) &&
           std::ranges::all_of(result.rounds, [](const Round& round) { return round.cpu_ns > 0; });
  };
  if (baseline < 0 || !is_told(group.cases[baseline])) return ratios;
  const auto of_baseline = cpu_times_ns(group.cases[baseline]);
  // Other programs evict data from the caches, which slows a short turn more than a long one. So
  // the interval is widened.
  constexpr double effect = 1 + kProcessEffect;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i) {
    if (i == baseline || !is_told(group.cases[i])) continue;
    const Interval ratio = paired_ratio(cpu_times_ns(group.cases[i]), of_baseline, decision_level);
    ratios.push_back({.index = i, .ratio = {ratio.value, ratio.low / effect, ratio.high * effect}});
  }
  return ratios;
}

/// Returns the number of threads that a case has at the same time.
std::int64_t threads_of(const CaseResult& result) {
  if (!result.pipeline) return result.threads;
  std::int64_t sum = 0;
  for (const LaneResult& lane : result.pipeline->lanes) sum += lane.servers * lane.threads;
  return sum;
}

std::optional<Busy> busy(const GroupResult& group, const Results& results) {
  Busy busy;
  const Json& known = value_at(results.environment, "/available_threads");
  const auto cpus = known.is_number_integer() ? known.get<std::int64_t>() : 0;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i) {
    if (!measured(group.cases[i]) || is_comparable(group, group.cases[i], results)) continue;
    busy.cases.push_back(i);
    const bool is_crowded = cpus > 0 && threads_of(group.cases[i]) > cpus;
    if (is_crowded) busy.crowded.push_back(i);
    double& share = is_crowded ? busy.crowded_share : busy.share;
    share = std::max(share, others_share_of(group.cases[i]));
  }
  if (busy.cases.empty()) return std::nullopt;
  busy.by_cpu = cpu_ratios(group);
  return busy;
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
  analysis.busy = busy(group, results);
  add_quality(group, results, analysis);
  analysis.verdict = judge(group, analysis, results);
  return analysis;
}

}  // namespace normbench
