/// Numbers of lanes, and functions that distribute slices over lanes. A slice is a recorded piece
/// of work with a start and an end. A lane holds the slices of a thread or a stream. The slices of
/// a lane must nest, because trace viewers require it.
#pragma once

#include "trace/losses.h"
#include "trace/model.h"

namespace normbench {

/// Thread ids of Linux are at most 2^22, so lane numbers (TraceLane::tid) from this one on are
/// free.
inline constexpr std::int64_t first_free_lane_id = (1 << 22) + 1;
inline constexpr std::int64_t lane_id_of_titles = first_free_lane_id;
inline constexpr std::int64_t lane_id_of_overhead = first_free_lane_id + 1;
/// The waits of the host for stream n are on lane `lane_id_of_syncs` + n of the device, as in
/// PyTorch's traces.
inline constexpr std::int64_t lane_id_of_syncs = 1'000'000;

/// The TraceSlice::depth of device work and of the CUDA calls that start it. It is greater than the
/// depth of any op or annotation.
inline constexpr std::uint32_t depth_of_work = 1'000'000;

/// Joins the lanes with the same (pid, tid). Returns them in order of first appearance, without
/// empty lanes.
std::vector<TraceLane> joined_lanes(std::vector<TraceLane> lanes);

/// Sorts by (start, -end, depth), so that parents come before their children. If a slice ends
/// before it starts, sets its end to its start.
void sort_parents_first(std::vector<TraceSlice>& slices);

/// What nested_lanes() does with a slice that starts inside another slice, called the outer slice.
/// - Clip: If the slice also ends inside the outer slice, it stays on the lane. If it ends later
///   and is deeper than the outer slice, it is cut at the end of the outer slice. Otherwise it
///   moves to a further lane.
/// - Spread: If the slice also ends inside the outer slice and is deeper than it, it stays on the
///   lane. Otherwise it moves to a further lane.
/// "Deeper" means a greater TraceSlice::depth.
enum class Overlap { Clip, Spread };

/// Returns the lanes with their slices sorted, parents first. Slices that do not nest move to
/// further lanes, which directly follow the lane of these slices. Further lanes have a suffix in
/// their names: " (2)", " (3)", and so on. Their lane numbers continue after `last_tid`. `last_tid`
/// is then set to the last number used. With Clip, a call of the CUDA runtime or driver is also
/// clipped (start and end) to the op or annotation in which it was made. Clipped slices are counted
/// in `losses` and marked in `marks`.
std::vector<TraceLane> nested_lanes(std::vector<TraceLane> lanes, Overlap overlap,
                                    std::int64_t& last_tid, TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
