/// Makes trace models from given slices, and extracts the values that tests compare.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/recorder.h"
#include "report/chrome/chrome.h"
#include "trace/build_model.h"
#include "trace/model.h"

namespace normbench {

inline constexpr std::int64_t test_pid = 4000;

inline TraceModel empty_model() {
  TraceModel model;
  model.base_ns = 1000;
  model.base_wall_ns = 1775078550000000000;
  model.processes = {{.pid = test_pid, .name = "normbench", .labels = "CPU"}};
  return model;
}

inline Slice slice(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
                   RangeKind kind = RangeKind::Stage, std::uint32_t depth = 0,
                   std::int64_t bytes = 0, std::uint64_t external_id = 0) {
  return {.start_ns = start_ns,
          .end_ns = end_ns,
          .name = name,
          .bytes = bytes,
          .external_id = external_id,
          .depth = depth,
          .kind = kind};
}

inline DeviceRecord record(Activity activity, std::int64_t start_ns, std::int64_t end_ns,
                           std::string_view name, std::int64_t correlation = -1) {
  return {.activity = activity,
          .start_ns = start_ns,
          .end_ns = end_ns,
          .name = name,
          .correlation = correlation,
          .stream = is_device_work(activity) ? 7 : -1,
          .thread = test_pid};
}

/// Returns the finished model of a profile with one thread and, if there are records, one device.
inline TraceModel finished(std::vector<Slice> slices, std::vector<DeviceRecord> records = {}) {
  ProfileTrace profile{.experiment = "", .variant = "", .point = Json::object(), .threads = {}};
  profile.threads.push_back({.tid = test_pid, .name = "main", .slices = std::move(slices)});
  if (!records.empty())
    profile.devices.push_back({.source = "CUPTI", .records = std::move(records)});
  TraceModel model = empty_model();
  add_profile(model, profile, test_pid);
  finish_model(model);
  return model;
}

inline std::string written(const TraceModel& model, const ChromeOptions& options = {}) {
  std::ostringstream out;
  write_chrome(model, out, options);
  return out.str();
}

/// Returns a text for each slice of the lane `lane_name`: "name [start, end)". If the model has no
/// such lane, returns only "no such lane".
inline std::vector<std::string> drawn(const TraceModel& model, std::string_view lane_name) {
  for (const TraceLane& lane : model.lanes) {
    if (lane.name != lane_name) continue;
    std::vector<std::string> lines;
    for (const TraceSlice& slice : lane.slices)
      lines.push_back(std::string(slice.name) + " [" + std::to_string(slice.start_ns) + ", " +
                      std::to_string(slice.end_ns) + ")");
    return lines;
  }
  return {"no such lane"};
}

inline std::vector<std::string> lane_names(const TraceModel& model) {
  std::vector<std::string> names;
  for (const TraceLane& lane : model.lanes) names.push_back(lane.name);
  return names;
}

inline std::vector<std::string> mark_names(const TraceModel& model) {
  std::vector<std::string> names;
  for (const TraceMark& mark : model.marks) names.push_back(mark.name);
  return names;
}

}  // namespace normbench
