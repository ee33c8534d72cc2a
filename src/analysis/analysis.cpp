#include "analysis/analysis.h"

#include <algorithm>

#include "document/held_up.h"

namespace normbench {
namespace {

/// Returns the interquartile range of the times above 0, divided by their median. A time of 0 means
/// that the round does not count. Returns 0 if no time is above 0.
double relative_spread(std::vector<double> times) {
  std::erase_if(times, [](double ns) { return ns <= 0; });
  std::ranges::sort(times);
  const double middle = median(times);
  const std::size_t quarter = times.size() / 4;
  return middle > 0 ? (times[times.size() - 1 - quarter] - times[quarter]) / middle : 0;
}

/// Returns the index of the baseline; -1 if it was not measured.
int measured_baseline(const GroupResult& group) {
  int baseline = -1;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i)
    if (group.cases[i].variant == group.baseline && measured(group.cases[i])) baseline = i;
  return baseline;
}

void add_quality(const MeasuredGroup& group, GroupAnalysis& analysis) {
  const int baseline = measured_baseline(group.group());
  Quality quality;
  quality.of_ratios = !analysis.pairs.empty() && baseline >= 0;
  for (int i = 0; i < static_cast<int>(analysis.cases.size()); ++i) {
    const CaseAnalysis& one = analysis.cases[i];
    if (!one.time_ns) continue;
    quality.spread = std::max(quality.spread, relative_spread(group.times_ns(i)));
    if (!quality.of_ratios || (one.ratio && i != baseline))
      quality.half_width =
          std::max(quality.half_width, half_width(quality.of_ratios ? *one.ratio : *one.time_ns));
    if (baseline >= 0 && i != baseline)
      analysis.autocorrelation =
          std::max(analysis.autocorrelation,
                   lag1_autocorrelation(log_ratios(group.times_ns(i), group.times_ns(baseline))));
  }
  analysis.quality = quality_of(
      quality, analysis.noise, precision_of(group.group(), group.results()), group.results().quick);
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
  // Other programs evict data from the caches. This lengthens the CPU time of a case by a larger
  // factor if the case runs only briefly in each round. So the effect does not cancel in the ratio
  // of two cases, and the interval is widened.
  constexpr double effect = 1 + kProcessEffect;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i) {
    if (i == baseline || !is_told(group.cases[i])) continue;
    const Interval ratio = paired_ratio(cpu_times_ns(group.cases[i]), of_baseline, decision_level);
    ratios.push_back({.index = i, .ratio = {ratio.value, ratio.low / effect, ratio.high * effect}});
  }
  return ratios;
}

/// Returns the number of threads of a case. For a pipeline, these are the threads of all servers.
std::int64_t threads_of(const CaseResult& result) {
  if (!result.pipeline) return result.threads;
  std::int64_t sum = 0;
  for (const LaneResult& lane : result.pipeline->lanes) sum += lane.servers * lane.threads;
  return sum;
}

std::optional<Busy> busy(const MeasuredGroup& group) {
  Busy busy;
  const Json& known = value_at(group.results().environment, "/available_threads");
  const auto cpus = known.is_number_integer() ? known.get<std::int64_t>() : 0;
  const auto& cases = group.group().cases;
  for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
    if (!measured(cases[i]) || group.is_comparable(i)) continue;
    busy.cases.push_back(i);
    const bool is_crowded = cpus > 0 && threads_of(cases[i]) > cpus;
    if (is_crowded) busy.crowded.push_back(i);
    double& share = is_crowded ? busy.crowded_share : busy.share;
    share = std::max(share, others_share_of(cases[i]));
  }
  if (busy.cases.empty()) return std::nullopt;
  busy.by_cpu = cpu_ratios(group.group());
  return busy;
}

}  // namespace

GroupAnalysis analyse(const GroupResult& group, const MeasuredDocument& document) {
  const Results& results = document.results();
  const MeasuredGroup measured(group, results);
  GroupAnalysis analysis;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i)
    analysis.cases.push_back(analyse_case(measured, i));
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i)
    analysis.indices.emplace(group.cases[i].variant, i);
  analysis.pairs = Pairs(measured);
  analysis.headspaces = headspaces(group, analysis.pairs, results);
  analysis.noise = noise_of(group, results);
  analysis.device = device_states(group);
  analysis.host = host_states(group, results);
  analysis.busy = busy(measured);
  add_quality(measured, analysis);
  analysis.verdict = judge(group, analysis, document);
  return analysis;
}

std::vector<int> cases_of_shown_pairs(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<int> cases{index_of(group, group.baseline)};
  const std::vector<int>& fastest = analysis.verdict.fastest;
  if (!fastest.empty() && fastest.front() != cases.front()) cases.push_back(fastest.front());
  return cases;
}

std::vector<Pair> shown_pairs(const GroupResult& group, const GroupAnalysis& analysis) {
  return analysis.pairs.shown(cases_of_shown_pairs(group, analysis));
}

std::int64_t pairs_left_out(const std::vector<Pair>& shown, const GroupAnalysis& analysis) {
  return analysis.pairs.are_all_shown() ? 0 : analysis.pairs.count() - std::ssize(shown);
}

}  // namespace normbench
