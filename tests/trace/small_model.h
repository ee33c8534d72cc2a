/// Makes models of a few slices, in the state in which finish_model() leaves a model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "trace/model.h"

namespace normbench {

struct SmallSlice {
  std::int64_t start_ns = 0, end_ns = 0;
  std::string_view name;
  TraceKind kind = TraceKind::CpuOp;
  std::int64_t lane = 1;  // number of a thread, or of a stream for slices on a device
  std::uint64_t external_id = 0;
  std::int64_t correlation = -1;
  std::int64_t bytes = 0;
  std::string_view shapes = {};
  bool over_link = false, from_marks = false;
  std::string_view label = {};
};

/// Returns a model of these slices. All threads belong to process 100, and all streams to device 0.
inline TraceModel small_model(const std::vector<SmallSlice>& slices) {
  TraceModel model;
  for (const SmallSlice& slice : slices) {
    const std::int64_t pid = is_on_gpu(slice.kind) ? 0 : 100;
    auto lane = std::ranges::find_if(model.lanes, [&](const TraceLane& candidate) {
      return candidate.pid == pid && candidate.tid == slice.lane;
    });
    if (lane == model.lanes.end())
      lane = model.lanes.insert(lane, {.pid = pid, .tid = slice.lane, .name = ""});
    TraceSlice& added = lane->slices.emplace_back();
    added.start_ns = slice.start_ns;
    added.end_ns = slice.end_ns;
    added.name = model.name(slice.name);
    added.kind = slice.kind;
    added.external_id = slice.external_id;
    added.correlation = slice.correlation;
    added.bytes = slice.bytes;
    added.shapes = model.name(slice.shapes);
    added.label = model.name(slice.label);
    if (!is_on_gpu(slice.kind)) continue;
    added.details = static_cast<std::int32_t>(model.details.size());
    DeviceDetails& details = model.details.emplace_back();
    details.stream = slice.lane;
    details.over_link = slice.over_link;
    details.from_marks = slice.from_marks;
  }
  for (TraceLane& lane : model.lanes)
    std::ranges::stable_sort(lane.slices, {}, [](const TraceSlice& slice) {
      return std::tuple(slice.start_ns, -slice.end_ns);
    });
  return model;
}

}  // namespace normbench
