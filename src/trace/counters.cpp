#include "trace/counters.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace normbench {
namespace {

struct Change {
  std::int64_t ns;
  double rate;  // GB/s, from here on more; negative: less
};
using Changes = std::vector<Change>;
using CounterKey = std::pair<std::int64_t, std::string>;  // pid and name

/// "link HtoD" for "Memcpy HtoD (Pinned -> Device)".
std::string link_name(std::string_view copy) {
  for (const std::string_view direction : {"HtoD", "DtoH"})
    if (copy.find(direction) != std::string_view::npos) return "link " + std::string(direction);
  return "link";
}

/// What the slice counts to; nothing for one that moves no bytes that a counter tells.
std::optional<CounterKey> key_of(const TraceLane& lane, const TraceSlice& slice,
                          const DeviceDetails* details) {
  if (slice.bytes <= 0 || slice.end_ns <= slice.start_ns) return std::nullopt;
  if (is_on_gpu(slice.kind))
    return details != nullptr && details->over_link
               ? std::optional(CounterKey(lane.pid, link_name(slice.name)))
               : std::nullopt;
  // A stage that submits to a device moves nothing itself.
  return slice.kind == TraceKind::CpuOp && slice.external_id == 0
             ? std::optional(CounterKey(lane.pid, "memory"))
             : std::nullopt;
}

TraceCounter counter_of(const CounterKey& key, Changes& changes) {
  std::ranges::stable_sort(changes, {}, &Change::ns);
  TraceCounter counter{.pid = key.first, .name = key.second, .unit = "GB/s"};
  double rate = 0;
  int running = 0;
  for (const Change& change : changes) {
    running += change.rate > 0 ? 1 : -1;
    rate = running == 0 ? 0 : rate + change.rate;
    if (!counter.samples.empty() && counter.samples.back().ns == change.ns)
      counter.samples.back().value = rate;
    else
      counter.samples.push_back({.ns = change.ns, .value = rate});
  }
  return counter;
}

/// A lane's slices are sorted, so a part of a stage comes while the stage is still open.
void add_changes(const TraceModel& model, const TraceLane& lane, std::map<CounterKey, Changes>& all) {
  std::int64_t counted_until_ns = lane.slices.empty() ? 0 : lane.slices.front().start_ns;
  for (const TraceSlice& slice : lane.slices) {
    if (slice.start_ns < counted_until_ns) continue;
    const auto key = key_of(lane, slice, model.details_of(slice));
    if (!key) continue;
    const double rate =
        static_cast<double>(slice.bytes) / static_cast<double>(slice.end_ns - slice.start_ns);
    Changes& changes = all[*key];
    changes.push_back({slice.start_ns, rate});
    changes.push_back({slice.end_ns, -rate});
    counted_until_ns = slice.end_ns;
  }
}

}  // namespace

std::vector<TraceCounter> counters_of(const TraceModel& model) {
  std::map<CounterKey, Changes> all;
  for (const TraceLane& lane : model.lanes) add_changes(model, lane, all);
  std::vector<TraceCounter> counters;
  for (auto& [key, changes] : all) counters.push_back(counter_of(key, changes));
  return counters;
}

}  // namespace normbench
