#include "analysis/case_analysis.h"

#include <algorithm>
#include <cmath>

#include "analysis/stage_limits.h"
#include "measure/stop_rule.h"

namespace normbench {

namespace {

/// Stopping looks at this level so that intervals of the stopped run cover 95 %.
constexpr double kLevel = StopRule::level;

std::vector<double> per_iteration(const CaseResult& result, std::int64_t Round::*column) {
  std::vector<double> times;
  for (const Round& round : result.rounds)
    times.push_back(static_cast<double>(round.*column) / static_cast<double>(result.iterations));
  return times;
}

double switches_per_iteration(const CaseResult& result) {
  std::int64_t switches = 0;
  for (const Round& round : result.rounds)
    switches += round.counters.voluntary_switches + round.counters.involuntary_switches;
  return static_cast<double>(switches) /
         static_cast<double>(result.iterations * static_cast<std::int64_t>(result.rounds.size()));
}

std::optional<double> published_ms(const GroupResult& group, const CaseResult& result,
                                   const Results& results) {
  for (const PublishedResult& published : group.published)
    if (published.variant == result.variant)
      return results.clock == DecidingClock::Device ? published.device_ms : published.wall_ms;
  return std::nullopt;
}

void compare_with_limit(const GroupResult& group, const CaseResult& result, const Results& results,
                        CaseAnalysis& analysis) {
  const CaseResult* limit = limit_of(group, result, results);
  if (limit == nullptr) return;
  const auto limit_times = times_ns(*limit, results);
  const auto case_times = times_ns(result, results);
  analysis.limit = limit->variant;
  analysis.of_limit = paired_ratio(limit_times, case_times, kLevel);
  // Nothing moves its bytes faster; a launch says less, for kernels may do with fewer threads.
  const auto bytes_times = times_ns(*bytes_limit_of(group, result, results), results);
  // One alarm in twenty quiet groups would be too many, so all cases of the group share the 5 %.
  const double level = 1 - 0.05 / static_cast<double>(group.cases.size());
  analysis.above_limit = enough_rounds(bytes_times, case_times, level) &&
                         paired_ratio(bytes_times, case_times, level).low > 1 + results.precision;
}

}  // namespace

bool measured(const CaseResult& result) {
  return result.status == Status::Ok && result.iterations > 0 && !result.rounds.empty();
}

std::vector<double> times_ns(const CaseResult& result, const Results& results) {
  // A case that used no device has no device time; its wall time is all there is.
  const bool device =
      results.clock == DecidingClock::Device &&
      std::ranges::all_of(result.rounds, [](const Round& round) { return round.device_ns > 0; });
  return per_iteration(result, device ? &Round::device_ns : &Round::wall_ns);
}

double stage_share(const CaseResult& result, const StageResult& stage) {
  double total = 0, own = 0;
  for (const std::int64_t ns : stage.rounds_ns) own += static_cast<double>(ns);
  if (uses_gpu(result)) {
    own /= static_cast<double>(std::max<std::size_t>(1, stage.rounds_ns.size()));
    for (const Round& round : result.rounds)
      total += static_cast<double>(round.wall_ns) / static_cast<double>(result.rounds.size());
  } else {
    for (const StageResult& other : result.stages)
      for (const std::int64_t ns : other.rounds_ns) total += static_cast<double>(ns);
  }
  return total > 0 ? own / total : 0;
}

double median_ns(const CaseResult& result, const Results& results) {
  return median(times_ns(result, results));
}

double wall_ns(const CaseResult& result) { return median(per_iteration(result, &Round::wall_ns)); }

std::optional<double> device_ns(const CaseResult& result) {
  const bool any =
      std::ranges::any_of(result.rounds, [](const Round& r) { return r.device_ns > 0; });
  return any ? std::optional(median(per_iteration(result, &Round::device_ns))) : std::nullopt;
}

double faults_per_iteration(const CaseResult& result) {
  std::vector<double> faults;
  for (const Round& round : result.rounds)
    faults.push_back(static_cast<double>(round.counters.minor_faults) /
                     static_cast<double>(result.iterations));
  return median(std::move(faults));
}

std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] > 0 && b[i] > 0) logs.push_back(std::log(a[i] / b[i]));
  return logs;
}

bool enough_rounds(const std::vector<double>& a, const std::vector<double>& b, double level) {
  const auto rounds = static_cast<int>(std::min(a.size(), b.size()));
  return median_interval_indices(rounds, level).has_value();
}

CaseAnalysis analyse_case(const GroupResult& group, const CaseResult& result,
                          const Results& results) {
  CaseAnalysis analysis;
  analysis.published_ms = published_ms(group, result, results);
  if (!measured(result)) return analysis;
  const auto times = times_ns(result, results);
  analysis.time_ns = median_interval(times, kLevel);
  analysis.faults = faults_per_iteration(result);
  if (result.peer.empty()) analysis.switches = switches_per_iteration(result);
  if (result.images > 0)
    analysis.images_per_second = static_cast<double>(result.images) * 1e9 / analysis.time_ns->value;
  for (const CaseResult& other : group.cases)
    if (other.variant == group.baseline && measured(other))
      analysis.ratio = paired_ratio(times, times_ns(other, results), kLevel);
  compare_with_limit(group, result, results, analysis);
  add_stage_limits(group, result, results, analysis);
  return analysis;
}

}  // namespace normbench
