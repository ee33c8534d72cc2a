#include "analysis/case_analysis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/limits.h"
#include "analysis/measured_group.h"
#include "document/held_up.h"

namespace normbench {
namespace {

/// Returns the value of `column`, a member of Round, for each round, divided by the iterations that
/// the case does in a round.
template <class Column>
std::vector<double> per_iteration(const CaseResult& result, Column column) {
  std::vector<double> values;
  for (const Round& round : result.rounds)
    values.push_back(static_cast<double>(std::invoke(column, round)) /
                     static_cast<double>(result.iterations));
  return values;
}

std::int64_t sum(const CaseResult& result, std::int64_t StageResult::*column) {
  return std::accumulate(
      result.stages.begin(), result.stages.end(), std::int64_t{0},
      [&](std::int64_t total, const StageResult& stage) { return total + stage.*column; });
}

double switches_per_iteration(const CaseResult& result) {
  std::int64_t switches = 0;
  for (const Round& round : result.rounds)
    switches += round.counters.voluntary_switches + round.counters.involuntary_switches;
  return static_cast<double>(switches) /
         static_cast<double>(result.iterations * static_cast<std::int64_t>(result.rounds.size()));
}

/// Adds the published time per iteration on the deciding clock, and the published speed-up. Both
/// are of the whole case, not of a stage.
void add_published(const MeasuredGroup& group, const CaseResult& result, CaseAnalysis& analysis) {
  for (const Published* published : group.published(result.variant)) {
    const auto ms =
        group.results().clock == DecidingClock::Device ? published->device_ms : published->wall_ms;
    if (ms && !analysis.published_ms)
      analysis.published_ms =
          *ms / static_cast<double>(std::max<std::int64_t>(1, published->items));
    if (!analysis.published_speed_up) analysis.published_speed_up = published->speed_up;
  }
}

void compare_with_baseline(const MeasuredGroup& group, int index, CaseAnalysis& analysis) {
  const int baseline = group.baseline();
  if (baseline < 0 || !group.is_comparable(baseline)) return;
  const std::vector<double>&times = group.times_ns(index), &others = group.times_ns(baseline);
  if (log_ratios(times, others).empty()) return;
  analysis.ratio = paired_ratio(times, others, decision_level);
  analysis.of_medians =
      analysis.time_ns->value / median_ns(group.group().cases[baseline], group.results());
  analysis.states = two_levels(log_ratios(times, others), std::log(other_state));
}

void compare_with_limit(const MeasuredGroup& group, int index, CaseAnalysis& analysis) {
  const Results& results = group.results();
  const CaseResult& result = group.group().cases[index];
  const CaseResult* limit = limit_of(group.limits(), result);
  if (limit == nullptr || is_busy(*limit, results.clock)) return;
  const auto limit_times = times_ns(*limit, results);
  const std::vector<double>& case_times = group.times_ns(index);
  if (log_ratios(limit_times, case_times).empty()) return;
  analysis.limit = limit->variant;
  analysis.of_limit = paired_ratio(limit_times, case_times, decision_level);
  // A correctly measured case is never faster than the limit that moves the same bytes. It may be
  // faster than a launch limit, because that is the launch time of another kernel. So only the
  // limit with the same bytes decides `above_limit`.
  const CaseResult& of_bytes = *bytes_limit_of(group.limits(), result);
  if (is_busy(of_bytes, results.clock)) return;
  const auto bytes_times = times_ns(of_bytes, results);
  // With this level, the probability of a false alarm in any case of the group is at most 5 %.
  const double level = 1 - 0.05 / static_cast<double>(group.group().cases.size());
  analysis.above_limit =
      enough_rounds(log_ratios(bytes_times, case_times), level) &&
      paired_ratio(bytes_times, case_times, level).low > 1 + precision_of(group.group(), results);
}

/// Returns the energy of the processor packages and the GPU in joules. A meter that is missing
/// counts as 0; if both are missing, returns nothing.
std::optional<double> joules(const ProfileCounters& counters) {
  if (!counters.cpu_joules && !counters.gpu_joules) return std::nullopt;
  return counters.cpu_joules.value_or(0) + counters.gpu_joules.value_or(0);
}

}  // namespace

CaseAnalysis analyse_case(const MeasuredGroup& group, int index) {
  const Results& results = group.results();
  const CaseResult& result = group.group().cases[index];
  CaseAnalysis analysis;
  add_published(group, result, analysis);
  if (!measured(result)) return analysis;
  analysis.time_ns = time_interval(group.times_ns(index), decision_level);
  analysis.faults = faults_per_iteration(result);
  if (result.peer.empty()) analysis.switches = switches_per_iteration(result);
  if (result.images > 0)
    analysis.images_per_second = static_cast<double>(result.images) * 1e9 / analysis.time_ns->value;
  if (result.pipeline) analysis.pipeline = analyse_pipeline(group.limits(), result, results);
  add_stage_limits(group.limits(), result, results, analysis);
  if (group.is_comparable(index)) compare_with_baseline(group, index, analysis);
  if (!is_busy(result, results.clock)) compare_with_limit(group, index, analysis);
  return analysis;
}

bool measured(const CaseResult& result) {
  return result.status == Status::Ok && result.iterations > 0 && !result.rounds.empty();
}

int index_of(const GroupResult& group, const std::string& variant) {
  const auto at = std::ranges::find(group.cases, variant, &CaseResult::variant);
  return at == group.cases.end() ? -1 : static_cast<int>(at - group.cases.begin());
}

std::vector<double> all_times_ns(const CaseResult& result, const Results& results) {
  // A case without a device has no device time, so its wall time is used.
  const bool device =
      results.clock == DecidingClock::Device &&
      std::ranges::all_of(result.rounds, [](const Round& round) { return round.device_ns > 0; });
  return per_iteration(result, device ? &Round::device_ns : &Round::wall_ns);
}

std::vector<double> times_ns(const CaseResult& result, const Results& results) {
  std::vector<double> times = all_times_ns(result, results);
  if (is_busy(result, results.clock)) return times;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (is_held_up(result, result.rounds[i], results.clock)) times[i] = 0;
  return times;
}

std::vector<double> cpu_times_ns(const CaseResult& result) {
  return per_iteration(result, &Round::cpu_ns);
}

double median_ns(const CaseResult& result, const Results& results) {
  std::vector<double> times = times_ns(result, results);
  std::erase_if(times, [](double ns) { return ns <= 0; });
  return median(std::move(times));
}

double per_iteration_ns(const CaseResult& result, const std::vector<std::int64_t>& turns_ns) {
  if (turns_ns.empty() || !measured(result)) return 0;
  return median({turns_ns.begin(), turns_ns.end()}) / static_cast<double>(result.iterations);
}

std::int64_t images_of(const GroupResult& group) {
  const auto found = std::ranges::find_if(
      group.cases, [](const CaseResult& one) { return one.source.has_value(); });
  return found == group.cases.end() ? 0 : found->source->shape.n;
}

double faults_per_iteration(const CaseResult& result) {
  return median(
      per_iteration(result, [](const Round& round) { return round.counters.minor_faults; }));
}

double wall_ns(const CaseResult& result) { return median(per_iteration(result, &Round::wall_ns)); }

std::optional<double> device_ns(const CaseResult& result) {
  const bool any =
      std::ranges::any_of(result.rounds, [](const Round& r) { return r.device_ns > 0; });
  return any ? std::optional(median(per_iteration(result, &Round::device_ns))) : std::nullopt;
}

std::optional<double> submitted_ns(const CaseResult& result) {
  const bool any =
      std::ranges::any_of(result.rounds, [](const Round& r) { return r.submitted_ns > 0; });
  return any ? std::optional(median(per_iteration(result, &Round::submitted_ns))) : std::nullopt;
}

bool has_limit_of(const CaseResult& result, LimitKind kind) {
  return std::ranges::any_of(
      result.stages, [&](const StageResult& stage) { return roles_of(stage).limit == kind; });
}

bool loads(const CaseResult& result) {
  return std::ranges::any_of(result.stages, [](const StageResult& stage) {
    return roles_of(stage).files == FileUse::Reads;
  });
}

bool uses_gpu(const CaseResult& result) {
  return std::ranges::find(result.stages, Place::Cuda, &StageResult::place) != result.stages.end();
}

std::int64_t link_bytes(const CaseResult& result) { return sum(result, &StageResult::link_bytes); }

std::int64_t moved_bytes(const CaseResult& result) { return sum(result, &StageResult::bytes); }

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

std::optional<double> cpu_seconds_per_image(const CaseResult& result) {
  if (!measured(result) || result.images <= 0) return std::nullopt;
  const double images = static_cast<double>(result.iterations * result.images);
  const auto is_told = [](const Round& round) { return round.cpu_ns > 0; };
  if (!result.peer.empty() && std::ranges::none_of(result.rounds, is_told)) return std::nullopt;
  std::vector<double> seconds;
  for (const Round& round : result.rounds)
    seconds.push_back(static_cast<double>(round.cpu_ns) / images / 1e9);
  return median(std::move(seconds));
}

Counted counted_per_image(const CaseResult& result, const CaseProfile& profile) {
  const double images = static_cast<double>(profile.steps * result.images);
  if (!profile.counters || images <= 0) return {};
  const ProfileCounters& counters = *profile.counters;
  Counted counted;
  if (counters.cycles) counted.cycles = static_cast<double>(*counters.cycles) / images;
  if (counters.cache_misses)
    counted.cache_misses = static_cast<double>(*counters.cache_misses) / images;
  if (counters.instructions && counters.cycles.value_or(0) > 0)
    counted.instructions_per_cycle =
        static_cast<double>(*counters.instructions) / static_cast<double>(*counters.cycles);
  if (const auto used = joules(counters)) counted.joules = *used / images;
  return counted;
}

const CaseProfile* find_profile(const GroupResult& group, const std::string& variant) {
  const auto at = std::ranges::find(group.profile, variant, &CaseProfile::variant);
  return at == group.profile.end() ? nullptr : &*at;
}

}  // namespace normbench
