#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/build_model.h"
#include "trace/lanes.h"
#include "trace/losses.h"
#include "trace/streams.h"

namespace normbench {
namespace {

using Lanes = std::vector<TraceLane>;

bool is_device_lane(const TraceModel& model, const TraceLane& lane) {
  const auto process = std::ranges::find(model.processes, lane.pid, &TraceProcess::pid);
  if (process != model.processes.end()) return process->is_device;
  return std::ranges::any_of(lane.slices,
                             [](const TraceSlice& slice) { return is_on_gpu(slice.kind); });
}

/// Returns the sort key of a lane of a host: the lane with the titles of cases comes first, the
/// lane with the tracer's overhead comes last.
int order_of_host(const TraceLane& lane) {
  if (lane.tid == lane_id_of_titles) return 0;
  return lane.tid == lane_id_of_overhead ? 2 : 1;
}

/// Returns the sort key of a lane of a device. The lane of the host's waits for a stream directly
/// follows the lane of this stream.
std::pair<std::int64_t, bool> order_of_stream(const TraceLane& lane) {
  const bool syncs = lane.tid >= lane_id_of_syncs;
  return {syncs ? lane.tid - lane_id_of_syncs : lane.tid, syncs};
}

/// Returns the hosts' lanes in order, and moves the devices' lanes to `devices`, also in order.
Lanes split(const TraceModel& model, Lanes lanes, Lanes& devices) {
  const auto first_device =
      std::stable_partition(lanes.begin(), lanes.end(),
                            [&](const TraceLane& lane) { return !is_device_lane(model, lane); });
  std::move(first_device, lanes.end(), std::back_inserter(devices));
  lanes.erase(first_device, lanes.end());
  std::ranges::stable_sort(
      lanes, {}, [](const TraceLane& lane) { return std::pair(lane.pid, order_of_host(lane)); });
  std::ranges::stable_sort(devices, {}, [](const TraceLane& lane) {
    return std::pair(lane.pid, order_of_stream(lane));
  });
  return lanes;
}

bool has_number(TraceKind kind) { return is_gpu_work(kind) || is_call(kind); }

/// Gives a new correlation (the number that connects a call with its work) to each call and each
/// piece of device work that has none.
void number(Lanes& lanes, TraceModel& model) {
  for (TraceLane& lane : lanes)
    for (TraceSlice& slice : lane.slices)
      if (has_number(slice.kind) && slice.correlation < 0)
        slice.correlation = ++model.last_correlation;
}

std::vector<TraceFlow> flows_of(const Lanes& devices, const HostIndex& index) {
  std::vector<TraceFlow> flows;
  for (const TraceLane& lane : devices)
    for (const TraceSlice& work : lane.slices) {
      if (!is_gpu_work(work.kind)) continue;
      const auto call = index.call(work.correlation);
      if (!call) continue;
      flows.push_back({.id = static_cast<std::int64_t>(flows.size()) + 1,
                       .from_pid = index.lane(*call).pid,
                       .from_tid = index.lane(*call).tid,
                       .from_ns = index.slice(*call).start_ns,
                       .to_pid = lane.pid,
                       .to_tid = lane.tid,
                       .to_ns = work.start_ns});
    }
  return flows;
}

struct PlacedSlice {
  const TraceLane* lane;
  const TraceSlice* slice;
};

/// Adds a flow (an arrow in the viewer) from each stage of an item to the item's next stage, if the
/// two are on different threads.
void add_item_flows(const Lanes& hosts, std::vector<TraceFlow>& flows) {
  std::map<std::int64_t, std::vector<PlacedSlice>> items;
  for (const TraceLane& lane : hosts)
    for (const TraceSlice& slice : lane.slices)
      if (slice.item >= 0) items[slice.item].push_back({&lane, &slice});
  for (auto& [item, stages] : items) {
    std::ranges::stable_sort(stages, {}, [](const PlacedSlice& at) { return at.slice->start_ns; });
    for (std::size_t i = 1; i < stages.size(); ++i) {
      const auto& [from, stage] = stages[i - 1];
      const auto& [to, next] = stages[i];
      if (from == to) continue;
      flows.push_back({.kind = TraceFlow::Kind::Item,
                       .id = static_cast<std::int64_t>(flows.size()) + 1,
                       .from_pid = from->pid,
                       .from_tid = from->tid,
                       .from_ns = std::max(stage->start_ns, stage->end_ns - 1),  // inside the slice
                       .to_pid = to->pid,
                       .to_tid = to->tid,
                       .to_ns = next->start_ns});
    }
  }
}

struct Change {
  std::int64_t ns;
  double rate;  // the change of the rate at `ns`, in GB/s
};
using Changes = std::vector<Change>;
using CounterKey = std::pair<std::int64_t, std::string>;  // pid and name

/// Returns the name of the counter to which the bytes of a copy are added. It is "link HtoD" for a
/// copy with a name like "Memcpy HtoD (Pinned -> Device)", "link DtoH" for a copy with "DtoH" in
/// its name, and "link" for any other copy.
std::string link_name(std::string_view copy) {
  for (const std::string_view direction : {"HtoD", "DtoH"})
    if (copy.find(direction) != std::string_view::npos) return "link " + std::string(direction);
  return "link";
}

/// Returns the counter (a curve in the trace viewer) to which the slice's bytes are added. Returns
/// nothing if they are not counted.
std::optional<CounterKey> key_of(const TraceLane& lane, const TraceSlice& slice,
                                 const DeviceDetails* details) {
  if (slice.bytes <= 0 || slice.end_ns <= slice.start_ns) return std::nullopt;
  if (is_on_gpu(slice.kind))
    return details != nullptr && details->over_link
               ? std::optional(CounterKey(lane.pid, link_name(slice.name)))
               : std::nullopt;
  // A stage with an external id submits device work and moves no bytes itself.
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

/// Adds the changes that the slices of a lane cause in the counters: the rate of a slice (its bytes
/// divided by its duration) is added at the start of the slice, and subtracted at its end. A slice
/// inside a counted slice is skipped, because the bytes of the outer slice include those of the
/// inner one.
void add_changes(const TraceModel& model, const TraceLane& lane,
                 std::map<CounterKey, Changes>& all) {
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

/// Returns counters of rates in GB/s. For each device, there is one counter for each direction of
/// its copies, like "link HtoD". The counter "memory" is for all host stages whose bytes are known.
/// The rates of slices that overlap in time are added. The value is 0 while nothing is moved.
std::vector<TraceCounter> counters_of(const TraceModel& model) {
  std::map<CounterKey, Changes> all;
  for (const TraceLane& lane : model.lanes) add_changes(model, lane, all);
  std::vector<TraceCounter> counters;
  for (auto& [key, changes] : all) counters.push_back(counter_of(key, changes));
  return counters;
}

/// Returns the properties of the device from the list `all`. If the list does not have them, adds
/// an object that has only the device's id.
const Json& properties_of(Json& all, std::int64_t device) {
  for (const Json& properties : all)
    if (properties.value("id", std::int64_t{-1}) == device) return properties;
  all.push_back({{"id", device}});
  return all.back();
}

/// Gives a default name to each lane without a name, and adds a process for each lane whose process
/// is missing.
void name_lanes(TraceModel& model) {
  std::set<std::int64_t> known;
  for (const TraceProcess& process : model.processes) known.insert(process.pid);
  for (TraceLane& lane : model.lanes) {
    if (lane.name.empty()) lane.name = fmt::format("thread {}", lane.tid);
    if (known.insert(lane.pid).second)
      model.processes.push_back(
          {.pid = lane.pid, .name = "", .labels = "", .is_device = is_device_lane(model, lane)});
  }
}

/// Gives a default name and labels to each process without them, and sorts devices after hosts.
void name_processes(TraceModel& model) {
  constexpr std::int64_t after_hosts = 5'000'000;  // the same as in torch's traces
  for (TraceProcess& process : model.processes) {
    if (!process.is_device) {
      if (process.name.empty()) process.name = "normbench";
      if (process.labels.empty()) process.labels = "CPU";
      continue;
    }
    const std::string name = properties_of(model.device_properties, process.pid).value("name", "");
    if (process.labels.empty()) process.labels = fmt::format("GPU {}", process.pid);
    if (process.name.empty())
      process.name = name.empty() ? process.labels : fmt::format("{}: {}", process.labels, name);
    if (process.sort_index == 0) process.sort_index = after_hosts + process.pid;
  }
  std::ranges::stable_sort(model.processes, {}, [](const TraceProcess& process) {
    return std::pair(process.is_device, process.pid);
  });
}

std::int64_t last_tid_of(const Lanes& lanes) {
  std::int64_t last = 0;
  for (const TraceLane& lane : lanes) last = std::max(last, lane.tid);
  return last;
}

}  // namespace

void finish_model(TraceModel& model) {
  LossMarks marks(model);
  std::int64_t last_tid = last_tid_of(model.lanes);
  Lanes devices;
  Lanes hosts = split(model, joined_lanes(std::move(model.lanes)), devices);
  hosts = nested_lanes(std::move(hosts), Overlap::Clip, last_tid, model.losses, marks);
  number(hosts, model);
  number(devices, model);
  const HostIndex index(hosts);
  count_launches(hosts, devices, model.losses, &marks);
  for (TraceLane& stream : devices) {
    start_after_calls(stream, model, index, model.losses, marks);
    annotate(stream, index);
  }
  devices = nested_lanes(std::move(devices), Overlap::Spread, last_tid, model.losses, marks);
  model.flows = flows_of(devices, index);
  add_item_flows(hosts, model.flows);
  model.lanes = std::move(hosts);
  std::ranges::move(devices, std::back_inserter(model.lanes));
  model.counters = counters_of(model);
  name_lanes(model);
  name_processes(model);
  marks.finish();
}

}  // namespace normbench
