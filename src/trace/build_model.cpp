#include "trace/build_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/lanes.h"
#include "trace/losses.h"

namespace normbench {
namespace {

TraceKind kind_of(RangeKind kind) {
  if (kind == RangeKind::Stage || kind == RangeKind::Part) return TraceKind::CpuOp;
  return kind == RangeKind::Worker ? TraceKind::CpuThread : TraceKind::UserAnnotation;
}

TraceKind kind_of(Activity activity) {
  switch (activity) {
    case Activity::Kernel:
      return TraceKind::Kernel;
    case Activity::Memcpy:
      return TraceKind::GpuMemcpy;
    case Activity::Memset:
      return TraceKind::GpuMemset;
    case Activity::Stage:
      return TraceKind::GpuUserAnnotation;
    case Activity::Runtime:
      return TraceKind::CudaRuntime;
    case Activity::Driver:
      return TraceKind::CudaDriver;
    case Activity::Sync:
      return TraceKind::CudaSync;
    case Activity::Overhead:
      return TraceKind::Overhead;
  }
  return TraceKind::Overhead;
}

/// Returns true for activities that are drawn on a lane of a device: the device's work, and the
/// host's waits for the device.
bool is_on_device(Activity activity) {
  return is_device_work(activity) || activity == Activity::Sync;
}

/// Returns the title of a profiled case: experiment, point and variant, like "place, batch 10: CPU
/// normalize, send f32".
std::string title_of(const ProfileTrace& profile) {
  std::string title = profile.experiment;
  for (const auto& [axis, value] : profile.point.items())
    title +=
        fmt::format(", {} {}", axis, value.is_string() ? value.get<std::string>() : value.dump());
  return fmt::format("{}: {}", title, profile.variant);
}

struct LaneId {
  std::int64_t pid, tid;
  std::string name;
};

LaneId lane_of_sync(const DeviceRecord& record) {
  return {record.device, lane_id_of_syncs + std::max<std::int64_t>(record.stream, 0),
          record.stream > 0 ? fmt::format("stream {} (sync)", record.stream) : "sync"};
}

LaneId lane_of_call(const DeviceRecord& record, std::int64_t pid) {
  const std::int64_t tid = record.thread > 0 ? record.thread : pid;
  return {pid, tid, fmt::format("thread {}", tid)};
}

/// Returns the number of the record's stream. For stream 0 or an unknown stream, returns 7, CUPTI's
/// number of the legacy default stream, because some viewers find no steps on stream 0.
std::int64_t stream_of(const DeviceRecord& record) {
  constexpr std::int64_t legacy_default = 7;
  return record.stream > 0 ? record.stream : legacy_default;
}

/// Returns the lane (a row of the trace viewer) on which a record of `source` is drawn. Device work
/// is drawn on its stream, and a call on its thread of the process `pid`. The overhead has a lane
/// of its own, and so have the host's waits for a stream.
LaneId lane_of(const DeviceRecord& record, const std::string& source, std::int64_t pid) {
  const std::int64_t stream = stream_of(record);
  switch (record.activity) {
    case Activity::Overhead:
      return {pid, lane_id_of_overhead, source + " overhead"};
    case Activity::Runtime:
    case Activity::Driver:
      return lane_of_call(record, pid);
    case Activity::Sync:
      return lane_of_sync(record);
    case Activity::Stage:
      return {record.device, stream, fmt::format("stream {}, times from {}", stream, source)};
    default:
      return {record.device, stream, fmt::format("stream {}", stream)};
  }
}

/// Maps ids of one recording to ids of the model, so that the recordings in a model do not share
/// ids. The first use of an id maps it to ++last, and every later use returns the same number.
/// `none` stays as it is.
template <class Number>
class Renumbered {
 public:
  Renumbered(Number& last, Number none) : last_(last), none_(none) {}

  Number operator()(Number number) {
    if (number == none_) return none_;
    const auto [found, is_new] = numbers_.try_emplace(number, last_ + 1);
    if (is_new) ++last_;
    return found->second;
  }

 private:
  Number& last_;
  Number none_;
  std::unordered_map<Number, Number> numbers_;
};

class Adding {
 public:
  Adding(TraceModel& model, const ProfileTrace& profile, std::int64_t pid)
      : model_(model),
        profile_(profile),
        pid_(pid),
        external_ids_(model.last_external_id, 0),
        items_(model.last_item, -1) {
    for (std::size_t i = 0; i < model.lanes.size(); ++i)
      lanes_.emplace(std::pair(model.lanes[i].pid, model.lanes[i].tid), i);
  }

  void add(const ThreadLog& thread) {
    std::vector<TraceSlice>& slices = lane({pid_, thread.tid, thread.name}).slices;
    for (const Slice& slice : thread.slices) {
      see(slice.start_ns, slice.end_ns);
      slices.push_back(
          {.start_ns = slice.start_ns,
           .end_ns = slice.end_ns,
           .name = model_.name(slice.name),
           .kind = kind_of(slice.kind),
           .depth = slice.depth,
           .bytes = slice.bytes,
           .external_id = external_ids_(slice.external_id),
           .shapes = shapes_of(slice),
           .label = slice.kind == RangeKind::Image ? image_range : label_of(slice.name),
           .item = items_(slice.item)});
    }
  }

  void add(const ItemSpan& span) {
    model_.items.push_back({.id = items_(span.item),
                            .pid = pid_,
                            .name = fmt::format("#{}", span.item),
                            .start_ns = span.start_ns,
                            .end_ns = span.end_ns});
  }

  void add(const DeviceTrace& device) {
    Renumbered<std::int64_t> correlations(model_.last_correlation, -1);
    for (const DeviceRecord& record : device.records) {
      see(record.start_ns, record.end_ns);
      if (is_on_device(record.activity)) add_device(record.device);
      TraceSlice slice = slice_of(record);
      slice.correlation = correlations(std::max<std::int64_t>(record.correlation, -1));
      lane(lane_of(record, device.source, pid_)).slices.push_back(slice);
    }
    add_origin(device);
    add_losses(device);
  }

  /// Adds a slice with the title of the case. It lasts from the first start to the last end of all
  /// slices that were added.
  void add_title() {
    if (profile_.variant.empty() || last_ns_ < first_ns_) return;
    lane({pid_, lane_id_of_titles, "cases"})
        .slices.push_back({.start_ns = first_ns_,
                           .end_ns = last_ns_,
                           .name = model_.name(title_of(profile_)),
                           .kind = TraceKind::Other});
  }

 private:
  void see(std::int64_t start_ns, std::int64_t end_ns) {
    first_ns_ = std::min(first_ns_, start_ns);
    last_ns_ = std::max({last_ns_, start_ns, end_ns});
  }

  TraceLane& lane(const LaneId& id) {
    const auto [found, is_new] = lanes_.try_emplace(std::pair(id.pid, id.tid), model_.lanes.size());
    if (is_new) model_.lanes.push_back({.pid = id.pid, .tid = id.tid, .name = id.name});
    return model_.lanes[found->second];
  }

  void add_device(std::int64_t device) {
    const auto known = std::ranges::find_if(model_.processes, [&](const TraceProcess& process) {
      return process.is_device && process.pid == device;
    });
    if (known == model_.processes.end())
      model_.processes.push_back({.pid = device, .name = "", .labels = "", .is_device = true});
  }

  TraceSlice slice_of(const DeviceRecord& record) {
    TraceSlice slice{.start_ns = record.start_ns,
                     .end_ns = record.end_ns,
                     .name = model_.name(record.name),
                     .kind = kind_of(record.activity),
                     .depth = depth_of_work,
                     .bytes = record.bytes,
                     .external_id = external_ids_(record.external_id)};
    if (record.activity == Activity::Stage) slice.label = label_of(record.name);
    // A driver call is inside the runtime call that makes it.
    if (record.activity == Activity::Driver) ++slice.depth;
    if (is_on_device(record.activity)) {
      slice.details = static_cast<std::int32_t>(model_.details.size());
      model_.details.push_back(
          {.device = record.device,
           .context = record.context,
           .stream = record.activity == Activity::Sync ? record.stream : stream_of(record),
           .over_link = record.over_link,
           .from_marks = record.activity == Activity::Stage,
           .launch = record.launch,
           .graph = record.graph,
           .graph_node = record.graph_node});
    }
    return slice;
  }

  std::string_view shapes_of(const Slice& slice) {
    if (slice.kind != RangeKind::Stage) return {};
    const std::string_view label = label_of(slice.name);
    const auto found = profile_.shapes.find(label.empty() ? slice.name : label);
    return found == profile_.shapes.end() ? std::string_view() : model_.name(found->second);
  }

  /// Returns the label of a stage, like "load{i}" for the name "load3". Returns "" if the stage has
  /// no label.
  std::string_view label_of(std::string_view name) {
    const auto found = profile_.labels.find(name);
    return found == profile_.labels.end() ? std::string_view() : model_.name(found->second);
  }

  /// Adds to the metadata where the device times come from, and their clock error.
  void add_origin(const DeviceTrace& device) {
    Json& about = model_.metadata["normbench"];
    Json& sources = about["device_times"];
    if (std::find(sources.begin(), sources.end(), Json(device.source)) == sources.end())
      sources.push_back(device.source);
    about["clock_error_ns"] =
        std::max(device.clock_error_ns, about.value("clock_error_ns", std::int64_t{0}));
  }

  void add_losses(const DeviceTrace& device) {
    LossMarks marks(model_);
    const std::int64_t ns = last_ns_ < first_ns_ ? model_.base_ns : last_ns_;
    if (device.dropped > 0)
      marks.add(
          "dropped", ns,
          fmt::format("{} dropped {} records for want of room", device.source, device.dropped));
    if (device.lost_buffers > 0)
      marks.add("lost_buffers", ns,
                fmt::format("{} lost {} buffer{} of records for want of memory", device.source,
                            device.lost_buffers, device.lost_buffers == 1 ? "" : "s"));
    if (device.without_times > 0)
      marks.add("without_times", ns,
                fmt::format("{} had no times for {} records, which are not shown", device.source,
                            device.without_times));
    model_.losses.dropped += device.dropped;
    model_.losses.lost_buffers += device.lost_buffers;
    model_.losses.without_times += device.without_times;
  }

  TraceModel& model_;
  const ProfileTrace& profile_;
  std::int64_t pid_;
  Renumbered<std::uint64_t> external_ids_;
  Renumbered<std::int64_t> items_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> lanes_;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

std::int64_t trace_pid(std::int64_t pid) {
  constexpr std::int64_t devices = 16;  // more than any machine has
  return pid < devices ? pid + first_free_lane_id : pid;
}

void add_profile(TraceModel& model, const ProfileTrace& profile, std::int64_t pid) {
  Adding adding(model, profile, pid);
  for (const ThreadLog& thread : profile.threads) adding.add(thread);
  for (const DeviceTrace& device : profile.devices) adding.add(device);
  for (const ItemSpan& item : profile.items) adding.add(item);
  adding.add_title();
}

}  // namespace normbench
