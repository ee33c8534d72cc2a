#include "analysis/case_analysis.h"

#include <algorithm>
#include <cmath>

#include "measure/stop_rule.h"

namespace normbench {

namespace {

/// Stopping looks at this level so that intervals of the stopped run cover 95 %.
constexpr double kLevel = StopRule::level;

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
      return results.clock == "device" ? published.device_ms : published.wall_ms;
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
  // One alarm in twenty quiet groups would be too many, so all cases of the group share the 5 %.
  const double level = 1 - 0.05 / static_cast<double>(group.cases.size());
  analysis.above_limit = enough_rounds(limit_times, case_times, level) &&
                         paired_ratio(limit_times, case_times, level).low > 1 + results.precision;
}

}  // namespace

bool measured(const CaseResult& result) {
  return result.status == Status::Ok && result.iterations > 0 && !result.rounds.empty();
}

std::vector<double> times_ns(const CaseResult& result, const Results& results) {
  std::vector<double> times;
  for (const Round& round : result.rounds) {
    // A case that used no device has no device time; its wall time is all there is.
    const bool device = results.clock == "device" && round.device_ns > 0;
    times.push_back(static_cast<double>(device ? round.device_ns : round.wall_ns) /
                    static_cast<double>(result.iterations));
  }
  return times;
}

double median_ns(const CaseResult& result, const Results& results) {
  return median(times_ns(result, results));
}

double faults_per_iteration(const CaseResult& result) {
  std::vector<double> faults;
  for (const Round& round : result.rounds)
    faults.push_back(static_cast<double>(round.counters.minor_faults) /
                     static_cast<double>(result.iterations));
  return median(std::move(faults));
}

bool has_op(const CaseResult& result, const std::string& op) {
  return std::ranges::any_of(result.stages, [&](const StageResult& s) { return s.op == op; });
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

const CaseResult* limit_of(const GroupResult& group, const CaseResult& result,
                           const Results& results) {
  if (!measured(result) || has_op(result, "load")) return nullptr;
  const CaseResult* best = nullptr;
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || has_op(limit, "first_touch")) continue;
    if (limit.source_bytes != result.source_bytes || limit.result_bytes != result.result_bytes ||
        limit.threads != result.threads)
      continue;
    if (best == nullptr || median_ns(limit, results) < median_ns(*best, results)) best = &limit;
  }
  return best;
}

CaseAnalysis analyse_case(const GroupResult& group, const CaseResult& result,
                          const Results& results) {
  CaseAnalysis analysis;
  analysis.published_ms = published_ms(group, result, results);
  if (!measured(result)) return analysis;
  const auto times = times_ns(result, results);
  analysis.time_ns = median_interval(times, kLevel);
  analysis.faults = faults_per_iteration(result);
  analysis.switches = switches_per_iteration(result);
  if (result.images > 0)
    analysis.images_per_second = static_cast<double>(result.images) * 1e9 / analysis.time_ns->value;
  for (const CaseResult& other : group.cases)
    if (other.variant == group.baseline && measured(other))
      analysis.ratio = paired_ratio(times, times_ns(other, results), kLevel);
  compare_with_limit(group, result, results, analysis);
  return analysis;
}

}  // namespace normbench
