#include <fmt/format.h>

#include <algorithm>

#include "analysis/causes.h"
#include "analysis/twin.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kSyncShare = 0.2;    // of the time: below this waiting explains nothing
constexpr double kLaunchShare = 0.7;  // calls that take most of the time bound a case …
constexpr double kIdle = 0.5;         // … when the GPU works for less than this part of it

/// Ops whose calls do more than hand work to the GPU.
bool only_submits(const StageResult& stage) {
  return stage.place == Place::Cuda && stage.link_bytes == 0 && stage.op != "sync" &&
         stage.op != "pin" && stage.op != "register" && stage.op != "unregister";
}

std::int64_t submissions(const CaseResult& result) {
  return std::ranges::count_if(result.stages, only_submits);
}

/// Median nanoseconds per iteration of turns' times; 0 for none.
double per_iteration(const CaseResult& result, const std::vector<std::int64_t>& turns_ns) {
  if (turns_ns.empty() || result.iterations <= 0) return 0;
  return median({turns_ns.begin(), turns_ns.end()}) / static_cast<double>(result.iterations);
}

/// Median time of the limit on the GPU that does just these ops; 0 without one.
double limit_ns(const Subject& subject, const std::vector<std::string>& ops) {
  for (const CaseResult& limit : subject.group.limits)
    if (measured(limit) && uses_gpu(limit) &&
        std::ranges::equal(limit.stages, ops, {}, &StageResult::op))
      return median_ns(limit, subject.results);
  return 0;
}

/// How often the host waits for the GPU in an iteration.
double waits(const CaseResult& result) {
  auto count =
      static_cast<double>(std::ranges::count(result.stages, std::string("sync"), &StageResult::op));
  if (result.wait == Wait::Stage)
    count +=
        static_cast<double>(std::ranges::count(result.stages, Place::Cuda, &StageResult::place));
  else if (result.wait == Wait::Iteration)
    count += 1;
  return count;
}

bool waits_less(std::span<const Factor> factors) {
  const Factor* wait = only_factor(factors, "wait");
  return wait != nullptr && wait->right == name_of(Wait::Turn);
}

}  // namespace

Cause sync_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  if (!uses_gpu(result)) return {};
  const char* const after = result.wait == Wait::Stage ? "stage" : "batch";
  if (const auto seldom = twin(subject, waits_less)) {
    if (!seldom->faster || seldom->share < kSyncShare) return {};
    return {"sync",
            fmt::format("waiting. The host waits for the GPU after every {}: {} of its time; "
                        "without, the same stages take {} ms.",
                        after, format_percent(seldom->share), format_ms(seldom->time_ns)),
            seldom->share, true};
  }
  const double launch = limit_ns(subject, {"launch"});
  const double cost = limit_ns(subject, {"launch", "sync"}) - launch;
  const double share = launch > 0 && cost > 0 ? waits(result) * cost / subject.time_ns() : 0;
  if (share < kSyncShare) return {};
  return {"sync",
          fmt::format("waiting. {} a batch for the GPU at {} us, measured on empty launches, = {} "
                      "of its time.",
                      format_significant(waits(result), 2), format_significant(cost / 1000, 2),
                      format_percent(std::min(1.0, share))),
          std::min(1.0, share)};
}

Cause launch_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  const std::int64_t count = submissions(result);
  if (count == 0 || !result.peer.empty()) return {};  // a peer's launches are its own
  double calls = 0, busy = 0;
  for (const StageResult& stage : result.stages) {
    if (only_submits(stage)) calls += per_iteration(result, stage.calls_ns);
    if (stage.place == Place::Cuda) busy += per_iteration(result, stage.rounds_ns);
  }
  const double time = wall_ns(result);
  if (calls > 0) {
    if (calls < kLaunchShare * time || busy > kIdle * time) return {};
    return {"launch",
            fmt::format("launches. Submitting takes {} of its time, the GPU works for {} of it.",
                        format_percent(std::min(1.0, calls / time)), format_percent(busy / time)),
            std::min(1.0, calls / time)};
  }
  const double share =
      result.graph ? 0 : static_cast<double>(count) * limit_ns(subject, {"launch"}) / time;
  if (share < kLaunchShare) return {};
  return {"launch",
          fmt::format("launches. {} at {} us, the time of an empty one, = {} of its time.", count,
                      format_significant(limit_ns(subject, {"launch"}) / 1000, 2),
                      format_percent(std::min(1.0, share))),
          std::min(1.0, share)};
}

}  // namespace normbench
