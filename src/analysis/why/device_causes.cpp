#include <algorithm>
#include <initializer_list>

#include "analysis/why/causes.h"
#include "ops/launch_sync.h"

namespace normbench {
namespace {

constexpr double kLinkShare = 0.6;
constexpr double kSyncShare = 0.2;  // waiting is a cause if it takes this share of the time or more
// Submitting work is a cause if its calls take at least kLaunchShare of the time and the GPU works
// for at most kIdle of the time.
constexpr double kLaunchShare = 0.7;
constexpr double kIdle = 0.5;
// If the GPU time of a stage exceeds this, the overhead of the CUDA events around it is negligible.
constexpr double kSureBusyNs = 20e3;

bool waits_for_device(const StageResult& stage) { return roles_of(stage).waits; }

/// Returns true for a stage on the GPU whose calls only submit work.
bool only_submits(const StageResult& stage) {
  return stage.place == Place::Cuda && stage.link_bytes == 0 && !waits_for_device(stage) &&
         !page_locks(stage);
}

/// Returns the median time in ns of the GPU limit whose stages are exactly these ops; 0 if there is
/// none.
double limit_ns(const Subject& subject, std::initializer_list<std::string_view> ops) {
  for (const CaseResult& limit : subject.group.limits)
    if (measured(limit) && uses_gpu(limit) &&
        std::ranges::equal(limit.stages, ops, {}, &StageResult::op))
      return median_ns(limit, subject.results);
  return 0;
}

double launch_ns(const Subject& subject) { return limit_ns(subject, {EmptyLaunch::name}); }

/// Returns how often the host waits for the GPU per iteration.
double waits(const CaseResult& result) {
  auto count = std::ranges::count_if(result.stages, waits_for_device);
  if (result.wait == Wait::Stage)
    count += std::ranges::count(result.stages, Place::Cuda, &StageResult::place);
  if (result.wait == Wait::Iteration) ++count;
  return static_cast<double>(count);
}

}  // namespace

std::optional<double> busy_ns(const Subject& subject) {
  const CaseResult& result = subject.result();
  double marked = 0, brackets = 0, sure = 0;
  for (const StageResult& stage : result.stages) {
    if (stage.place != Place::Cuda || stage.rounds_ns.empty()) continue;
    marked += per_iteration_ns(result, stage.rounds_ns);
    brackets += static_cast<double>(result.bracket_ns);
    sure += kSureBusyNs;
  }
  if (sure > 0 && marked >= sure) return marked;
  const CaseProfile* const profile = find_profile(subject.group, result.variant);
  if (profile != nullptr && profile->device_times == DeviceTimes::Cupti && profile->steps > 0)
    return static_cast<double>(profile->times.busy_ns) / static_cast<double>(profile->steps);
  if (brackets > 0) return std::max(0.0, marked - brackets);
  return std::nullopt;
}

Cause link_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  const CaseAnalysis& analysis = subject.analysis;
  if (link_bytes(result) == 0) return {};
  const std::vector<ResourceShare> list = parts(result);
  const auto copies = std::ranges::find(list, Resource::Link, &ResourceShare::resource);
  const double share = copies == list.end() ? 0 : std::min(1.0, copies->share);
  const auto gain = gain_beside(result, Resource::Link);
  if (gain && share >= kLinkShare) return {*gain, share};
  if (analysis.of_limit && analysis.of_limit->value >= at_limit &&
      limit_kind(subject.group, analysis.limit) == LimitKind::Link)
    return {
        why::LinkLimit{link_bytes(result), analysis.of_limit->value, only_bytes_are_slow(subject)},
        std::max(share, analysis.of_limit->value)};
  return share < kLinkShare ? Cause{} : Cause{why::LinkTime{}, share};
}

Cause sync_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  if (!uses_gpu(result)) return {};
  const auto seldom = twin(subject, Factor::Kind::Wait, [](const auto&, const auto& its) {
    return its == FactorValue(Wait::Turn);
  });
  if (seldom && (!seldom->faster || seldom->saved.value < kSyncShare)) return {};
  if (seldom) return {why::Waiting{*result.wait, seldom->time_ns}, seldom->saved.value, true};
  const double launch = launch_ns(subject);
  const double cost = limit_ns(subject, {EmptyLaunch::name, Sync::name}) - launch;
  const double share = launch > 0 && cost > 0 ? waits(result) * cost / subject.time_ns() : 0;
  if (share < kSyncShare) return {};
  return {why::PricedWaiting{waits(result), std::min(cost, subject.time_ns() / waits(result))},
          std::min(1.0, share)};
}

Cause launch_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  const auto count = std::ranges::count_if(result.stages, only_submits);
  if (count == 0 || !result.peer.empty()) return {};  // which kernels a peer launches is not known
  const std::optional<double> busy = busy_ns(subject);
  if (!busy) return {};
  double calls = 0;
  for (const StageResult& stage : result.stages)
    if (only_submits(stage)) calls += per_iteration_ns(result, stage.calls_ns);
  const double time = wall_ns(result);
  if (calls > 0) {
    if (calls < kLaunchShare * time || *busy > kIdle * time) return {};
    return {why::Submitting{*busy / time}, std::min(1.0, calls / time)};
  }
  const double share = result.graph ? 0 : static_cast<double>(count) * launch_ns(subject) / time;
  if (share < kLaunchShare) return {};
  // A launch that overlaps with other work costs less than an empty launch. So the cost is limited
  // such that all launches together take at most the case's time.
  const double cost_ns = std::min(launch_ns(subject), time / static_cast<double>(count));
  return {why::PricedLaunches{count, cost_ns}, std::min(1.0, share)};
}

}  // namespace normbench
