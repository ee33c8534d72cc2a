#include "analysis/machine_limits.h"

#include <algorithm>

#include "analysis/case_analysis.h"

namespace normbench {
namespace {

/// Returns the axes without "threads", which MachineLimit has as a member, and without "kernel",
/// since only the fastest kernel is kept.
Json other_axes(Json axes) {
  axes.erase("threads");
  axes.erase("kernel");
  return axes;
}

std::int64_t bytes_of_a_call(const CaseResult& result) {
  if (const std::int64_t crossed = link_bytes(result); crossed > 0) return crossed;
  return moved_bytes(result) > 0 && !has_limit_of(result, LimitKind::PageFaults)
             ? result.source_bytes + result.result_bytes
             : 0;
}

MachineLimit measured_limit(const GroupResult& group, const CaseResult& result,
                            const Results& results) {
  MachineLimit limit{.kind = group.experiment,
                     .variant = result.written.empty() ? result.variant : result.written,
                     .op = result.stages[0].op,
                     .axes = other_axes(result.axes),
                     .place = result.stages[0].place,
                     .kernel = result.stages[0].kernel,
                     .threads = result.threads,
                     .ns = {},
                     .reason = result.reason};
  if (!measured(result)) return limit;
  limit.ns = time_interval(times_ns(result, results), 0.95);
  limit.bytes = bytes_of_a_call(result);
  limit.faults = faults_per_iteration(result);
  return limit;
}

bool is_better(const MachineLimit& limit, const MachineLimit& other) {
  return limit.ns && (!other.ns || limit.ns->value < other.ns->value);
}

}  // namespace

std::vector<MachineLimit> machine_limits(const Results& results) {
  std::vector<MachineLimit> limits;
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) {
      const MachineLimit limit = measured_limit(group, result, results);
      const auto same = std::ranges::find_if(limits, [&](const MachineLimit& other) {
        return other.kind == limit.kind && other.variant == limit.variant &&
               other.axes == limit.axes && other.threads == limit.threads;
      });
      if (same == limits.end())
        limits.push_back(limit);
      else if (is_better(limit, *same))
        *same = limit;
    }
  return limits;
}

}  // namespace normbench
