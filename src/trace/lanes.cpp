#include "trace/lanes.h"

#include <algorithm>

namespace normbench {
namespace {

/// The lanes with equal (pid, tid) joined, slices sorted so that parents come before children.
std::vector<TraceLane> joined(const std::vector<TraceLane>& lanes) {
  std::vector<TraceLane> result;
  for (const TraceLane& lane : lanes) {
    const auto found = std::ranges::find_if(result, [&](const TraceLane& other) {
      return other.pid == lane.pid && other.tid == lane.tid;
    });
    if (found == result.end())
      result.push_back(lane);
    else
      found->slices.insert(found->slices.end(), lane.slices.begin(), lane.slices.end());
  }
  std::erase_if(result, [](const TraceLane& lane) { return lane.slices.empty(); });
  for (TraceLane& lane : result) {
    for (Slice& slice : lane.slices) slice.end_ns = std::max(slice.start_ns, slice.end_ns);
    std::ranges::stable_sort(lane.slices, [](const Slice& a, const Slice& b) {
      if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
      if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
      return a.depth < b.depth;
    });
  }
  return result;
}

/// A lane being filled: its slices, and those that are still open at the latest start.
class Nest {
 public:
  /// Takes the slice if it nests here, clipping it when it was recorded as a child of the open one.
  bool take(Slice slice) {
    while (!open_.empty() && open_.back().end_ns <= slice.start_ns) open_.pop_back();
    if (!open_.empty() && slice.end_ns > open_.back().end_ns) {
      if (slice.depth <= open_.back().depth) return false;
      slice.end_ns = open_.back().end_ns;
    }
    open_.push_back(slice);
    slices.push_back(slice);
    return true;
  }

  std::vector<Slice> slices;

 private:
  std::vector<Slice> open_;
};

std::vector<Nest> nests_of(const std::vector<Slice>& sorted) {
  std::vector<Nest> nests;
  for (const Slice& slice : sorted)
    if (std::ranges::none_of(nests, [&](Nest& nest) { return nest.take(slice); }))
      nests.emplace_back().take(slice);
  return nests;
}

}  // namespace

std::vector<TraceLane> nested_lanes(const std::vector<TraceLane>& lanes) {
  std::int64_t last_tid = 0;
  for (const TraceLane& lane : lanes) last_tid = std::max(last_tid, lane.tid);
  std::vector<TraceLane> result;
  for (const TraceLane& lane : joined(lanes)) {
    std::vector<Nest> nests = nests_of(lane.slices);
    for (std::size_t i = 0; i < nests.size(); ++i)
      result.push_back({.pid = lane.pid,
                        .tid = i == 0 ? lane.tid : ++last_tid,
                        .name = i == 0 ? lane.name : lane.name + " (" + std::to_string(i + 1) + ")",
                        .slices = std::move(nests[i].slices)});
  }
  return result;
}

}  // namespace normbench
