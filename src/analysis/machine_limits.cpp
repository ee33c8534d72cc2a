#include "analysis/machine_limits.h"

#include <algorithm>

#include "analysis/case_analysis.h"
#include "analysis/words.h"

namespace normbench {

namespace {

/// "to the GPU, pinned": threads have a column, and the fastest kernel counts.
std::string shown_name(const CaseResult& result) {
  std::string name = result.variant.substr(0, result.variant.find(" ["));
  for (const auto& [axis, value] : result.axes.items())
    if (axis != "threads" && axis != "kernel") name += ", " + axis_value(value);
  return name;
}

std::int64_t bytes_moved(const CaseResult& result) {
  if (const std::int64_t crossed = link_bytes(result); crossed > 0) return crossed;
  std::int64_t moved = 0;
  for (const StageResult& stage : result.stages) moved += stage.bytes;
  return moved > 0 && !has_op(result, "first_touch") ? result.source_bytes + result.result_bytes
                                                     : 0;
}

MachineLimit measured_limit(const GroupResult& group, const CaseResult& result,
                            const Results& results) {
  MachineLimit limit{.kind = group.experiment,
                     .name = shown_name(result),
                     .place = result.stages[0].place,
                     .kernel = result.stages[0].kernel,
                     .threads = result.threads,
                     .ns = {},
                     .missing = result.reason};
  if (!measured(result)) {
    if (limit.missing.empty()) limit.missing = "not measured";
    return limit;
  }
  limit.ns = median_interval(times_ns(result, results), 0.95);
  limit.bytes = bytes_moved(result);
  limit.faults = faults_per_iteration(result);
  return limit;
}

bool is_better(const MachineLimit& limit, const MachineLimit& other) {
  if (!limit.missing.empty()) return false;
  return !other.missing.empty() || limit.ns.value < other.ns.value;
}

}  // namespace

std::vector<MachineLimit> machine_limits(const Results& results) {
  std::vector<MachineLimit> limits;
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) {
      const MachineLimit limit = measured_limit(group, result, results);
      const auto same = std::ranges::find_if(limits, [&](const MachineLimit& other) {
        return other.kind == limit.kind && other.name == limit.name &&
               other.threads == limit.threads;
      });
      if (same == limits.end())
        limits.push_back(limit);
      else if (is_better(limit, *same))
        *same = limit;
    }
  return limits;
}

Json to_json(const MachineLimit& limit) {
  Json json = {{"kind", limit.kind},
               {"name", limit.name},
               {"place", name_of(limit.place)},
               {"threads", limit.threads}};
  if (!limit.missing.empty()) {
    json["missing"] = limit.missing;
    return json;
  }
  json["kernel"] = limit.kernel;
  json["ns"] = limit.ns.value;
  json["low_ns"] = limit.ns.low;
  json["high_ns"] = limit.ns.high;
  if (limit.bytes > 0) {
    json["bytes"] = limit.bytes;
    json["bytes_per_second"] = static_cast<double>(limit.bytes) * 1e9 / limit.ns.value;
  }
  if (limit.faults >= 1) {
    json["faults"] = limit.faults;
    json["ns_per_fault"] = limit.ns.value / limit.faults;
  }
  return json;
}

}  // namespace normbench
