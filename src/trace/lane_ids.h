/// Numbers, names and depths that the trace's lanes agree on.
#pragma once

#include <cstdint>
#include <string>

#include "record/device_trace.h"

namespace normbench {

/// Above the number of any thread: Linux has none over 2^22.
inline constexpr std::int64_t first_free_lane_id = (1 << 22) + 1;
inline constexpr std::int64_t lane_id_of_titles = first_free_lane_id;
inline constexpr std::int64_t lane_id_of_overhead = first_free_lane_id + 1;
/// The host's waits for stream 7 are on lane 1000007 of its device, as in torch's traces.
inline constexpr std::int64_t lane_id_of_syncs = 1'000'000;

/// Depth of device work, and of the calls that start it: below all ranges.
inline constexpr std::uint32_t depth_of_work = 1'000'000;

/// CUPTI's number of the stream, from 1 on: readers find no step for stream 0.
std::int64_t stream_of(const DeviceRecord& record);

struct LaneId {
  std::int64_t pid, tid;
  std::string name;
};

/// Where a record of `source` is drawn: device work on its stream, calls on their threads of the
/// process `pid`, and the rest on lanes of its own.
LaneId lane_of(const DeviceRecord& record, const std::string& source, std::int64_t pid);

}  // namespace normbench
