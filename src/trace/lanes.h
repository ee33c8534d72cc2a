/// Numbers of lanes; and slices put on lanes where they nest, as every viewer demands.
#pragma once

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// Lane numbers above any thread's: Linux has none over 2^22.
inline constexpr std::int64_t first_free_lane_id = (1 << 22) + 1;
inline constexpr std::int64_t lane_id_of_titles = first_free_lane_id;
inline constexpr std::int64_t lane_id_of_overhead = first_free_lane_id + 1;
/// The host's waits for stream 7 are on lane 1000007 of its device, as in torch's traces.
inline constexpr std::int64_t lane_id_of_syncs = 1'000'000;

/// The depth of device work, and of the calls that start it: below all ranges.
inline constexpr std::uint32_t depth_of_work = 1'000'000;

/// One lane per (pid, tid), in order of first appearance, without empty ones.
std::vector<TraceLane> joined_lanes(std::vector<TraceLane> lanes);

/// Sorts by (start, -end, depth), so that parents come before their children. A slice that ends
/// before it starts becomes an empty one.
void sort_parents_first(std::vector<TraceSlice>& slices);

enum class Overlap {
  Clip,   // what sticks out of a slice is cut off if it is deeper, else moves to a further lane
  Spread  // what sticks out of a slice, or is no deeper, moves to a further lane
};

/// The lanes with their slices sorted parents first. Each lane is followed by further lanes for its
/// slices that do not nest; they have the numbers after `last_tid`, which grows, and are named
/// "NAME (2)". With Clip, calls of the runtime and driver are clipped into the ranges they were
/// made in. Adds clipped slices to `losses`.
std::vector<TraceLane> nested_lanes(std::vector<TraceLane> lanes, Overlap overlap,
                                    std::int64_t& last_tid, TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
