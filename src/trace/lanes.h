/// Lane numbers, and functions that distribute slices over lanes so that the slices of a lane nest,
/// as every trace viewer requires.
#pragma once

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// Lane numbers from here on are free, because thread ids of Linux are at most 2^22.
inline constexpr std::int64_t first_free_lane_id = (1 << 22) + 1;
inline constexpr std::int64_t lane_id_of_titles = first_free_lane_id;
inline constexpr std::int64_t lane_id_of_overhead = first_free_lane_id + 1;
/// The host's waits for stream n are on lane `lane_id_of_syncs` + n of the device, as in PyTorch's
/// traces.
inline constexpr std::int64_t lane_id_of_syncs = 1'000'000;

/// The depth of device work and of the runtime calls that start it. It is greater than the depth of
/// any range.
inline constexpr std::uint32_t depth_of_work = 1'000'000;

/// Joins the lanes with the same (pid, tid). Returns them in order of first appearance, without
/// empty lanes.
std::vector<TraceLane> joined_lanes(std::vector<TraceLane> lanes);

/// Sorts by (start, -end, depth), so that parents come before their children. A slice that ends
/// before it starts becomes empty (its end is set to its start).
void sort_parents_first(std::vector<TraceSlice>& slices);

/// What happens to a slice that starts inside another slice, called the outer one.
/// - Clip: it stays if it also ends inside. Otherwise it is cut at the end of the outer one if its
///   depth is greater than that of the outer one, and moves to a further lane if not.
/// - Spread: it stays if it also ends inside and its depth is greater than that of the outer one.
///   Otherwise it moves to a further lane.
enum class Overlap { Clip, Spread };

/// Returns the lanes with their slices sorted, parents first. Slices that do not nest move to
/// further lanes, which directly follow their lane and are named "NAME (2)", "NAME (3)", …. Further
/// lanes get the numbers after `last_tid`, which is increased. With Clip, a call of the CUDA
/// runtime or driver is also clipped to the range in which it was made. Clipped slices are counted
/// in `losses` and marked.
std::vector<TraceLane> nested_lanes(std::vector<TraceLane> lanes, Overlap overlap,
                                    std::int64_t& last_tid, TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
