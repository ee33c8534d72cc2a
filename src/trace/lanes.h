/// Numbers of lanes, and functions that put slices on lanes so that they nest. Every viewer needs
/// this.
#pragma once

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// Lane numbers above those of all threads. Linux has no thread number over 2^22.
inline constexpr std::int64_t first_free_lane_id = (1 << 22) + 1;
inline constexpr std::int64_t lane_id_of_titles = first_free_lane_id;
inline constexpr std::int64_t lane_id_of_overhead = first_free_lane_id + 1;
/// The host's waits for stream 7 are on lane 1000007 of its device, as in torch's traces.
inline constexpr std::int64_t lane_id_of_syncs = 1'000'000;

/// The depth of device work and of the calls that start it. It is deeper than all ranges.
inline constexpr std::uint32_t depth_of_work = 1'000'000;

/// Returns one lane for each (pid, tid), in order of first appearance. Empty lanes are left out.
std::vector<TraceLane> joined_lanes(std::vector<TraceLane> lanes);

/// Sorts by (start, -end, depth), so that parents come before their children. A slice that ends
/// before it starts becomes empty.
void sort_parents_first(std::vector<TraceSlice>& slices);

enum class Overlap {
  Clip,   // a slice that sticks out of another is cut if it is deeper, else moves to a further lane
  Spread  // a slice that sticks out of another, or is not deeper, moves to a further lane
};

/// Returns the lanes with their slices sorted parents first. Slices that do not nest go to further
/// lanes behind their own, which are named "NAME (2)". The numbers of these lanes begin after
/// `last_tid`, which grows. With Clip, calls of the runtime and driver are clipped into the ranges
/// in which they were made. Clipped slices are counted in `losses`.
std::vector<TraceLane> nested_lanes(std::vector<TraceLane> lanes, Overlap overlap,
                                    std::int64_t& last_tid, TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
