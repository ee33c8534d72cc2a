/// Puts slices on lanes where they nest, as every viewer demands.
#pragma once

#include <vector>

#include "trace/chrome.h"

namespace normbench {

/// One lane per (pid, tid) of `lanes` in order of first appearance, each followed by the further
/// lanes that its overlapping slices need (free tids, named "NAME (2)"). On a lane slices are
/// sorted by (start, -duration) and properly nested: a child that sticks out of its parent is
/// clipped, a slice that ends before it starts is empty. Lanes without slices are dropped.
std::vector<TraceLane> nested_lanes(const std::vector<TraceLane>& lanes);

}  // namespace normbench
