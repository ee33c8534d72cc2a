/// Puts slices on lanes where they nest, as every viewer demands.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/loss_marks.h"
#include "trace/model.h"

namespace normbench {

/// One lane per (pid, tid), in order of first appearance, without empty ones.
std::vector<TraceLane> joined_lanes(std::vector<TraceLane> lanes);

/// Sorts by (start, -end, depth), so that parents come before their children. A slice that ends
/// before it starts becomes an empty one.
void sort_parents_first(std::vector<TraceSlice>& slices);

enum class Overlap {
  Clip,   // what sticks out of a slice ends with that if it is deeper, else moves to a further lane
  Spread  // what sticks out of a slice, or is no deeper than it, moves to a further lane as it is
};

/// The lane of slices sorted parents first, followed by the further lanes that those of them need
/// that do not nest: with the numbers after `last_tid`, which grows, and named "NAME (2)". Adds
/// what was clipped to `losses`.
std::vector<TraceLane> nested(TraceLane lane, Overlap overlap, std::int64_t& last_tid,
                              TraceLosses& losses, LossMarks& marks);

}  // namespace normbench
