#include "trace/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace normbench {
namespace {

/// A lane that is being filled with slices. `open_` has the slices that have not ended when the
/// latest slice starts, outermost first.
class Nest {
 public:
  /// Returns the depth that the slice would have on this lane: 0 outside of all slices, else the
  /// depth of its parent plus 1. Returns nothing if the slice would not nest.
  std::optional<std::uint32_t> depth_for(const TraceSlice& slice, Overlap overlap) {
    while (!open_.empty() && open_.back().end_ns <= slice.start_ns) open_.pop_back();
    if (open_.empty()) return 0;
    const bool inside = slice.end_ns <= open_.back().end_ns;
    const bool deeper = slice.depth > open_.back().depth;
    const bool fits = overlap == Overlap::Clip ? inside || deeper : inside && deeper;
    return fits ? std::optional(open_.back().depth + 1) : std::nullopt;
  }

  /// Adds a slice for which depth_for() returned a depth. Returns true if the slice had to be
  /// clipped.
  bool take(TraceSlice slice) {
    const bool clipped = !open_.empty() && slice.end_ns > open_.back().end_ns;
    if (clipped) slice.end_ns = open_.back().end_ns;
    open_.push_back({.end_ns = slice.end_ns, .depth = slice.depth});
    slices.push_back(slice);
    return clipped;
  }

  std::vector<TraceSlice> slices;

 private:
  struct Open {
    std::int64_t end_ns;
    std::uint32_t depth;
  };
  std::vector<Open> open_;
};

/// Returns a nest (a lane that is being filled) on which the slice nests, or a new nest if there is
/// none. With `Overlap::Clip`, it is the first such nest. With `Overlap::Spread`, it is the nest on
/// which the slice gets the greatest depth, so that device work stays inside the annotation of the
/// range that submitted it.
Nest& nest_for(const TraceSlice& slice, Overlap overlap, std::vector<Nest>& nests) {
  Nest* best = nullptr;
  std::uint32_t most = 0;
  for (Nest& nest : nests) {
    const auto depth = nest.depth_for(slice, overlap);
    if (!depth || (best != nullptr && *depth <= most)) continue;
    best = &nest;
    most = *depth;
    if (overlap == Overlap::Clip) break;
  }
  return best != nullptr ? *best : nests.emplace_back();
}

/// Returns the starts and ends of all ranges (the slices that are no CUDA calls), sorted.
std::vector<std::int64_t> range_borders(const std::vector<TraceSlice>& slices) {
  std::vector<std::int64_t> borders;
  for (const TraceSlice& slice : slices)
    if (!is_call(slice.kind)) borders.insert(borders.end(), {slice.start_ns, slice.end_ns});
  std::ranges::sort(borders);
  return borders;
}

/// Clips each call to the part around its middle in which no range starts or ends. A thread cannot
/// open or close a range during a call. But the clocks of calls and ranges may differ a little, so
/// a call may seem to cross the border of a range.
void clip_calls(std::vector<TraceSlice>& slices, TraceLosses& losses, LossMarks& marks) {
  const std::vector<std::int64_t> borders = range_borders(slices);
  for (TraceSlice& slice : slices) {
    if (!is_call(slice.kind) || slice.end_ns <= slice.start_ns) continue;
    const std::int64_t middle = slice.start_ns + (slice.end_ns - slice.start_ns) / 2;
    const auto next = std::ranges::upper_bound(borders, middle);
    const std::int64_t first =
        next == borders.begin() ? slice.start_ns : std::max(slice.start_ns, *std::prev(next));
    const std::int64_t last = next == borders.end() ? slice.end_ns : std::min(slice.end_ns, *next);
    if (first == slice.start_ns && last == slice.end_ns) continue;
    slice.start_ns = first;
    slice.end_ns = last;
    ++losses.clipped;
    marks.add("clipped", first,
              fmt::format("{} began before or ended after the range it was called in; it is shown "
                          "within that",
                          slice.name));
  }
}

/// Distributes the slices of `lane` over one or more lanes on which they nest, and appends these
/// lanes to `lanes`. The slices must be sorted parents first.
void nest(TraceLane lane, Overlap overlap, std::int64_t& last_tid, TraceLosses& losses,
          LossMarks& marks, std::vector<TraceLane>& lanes) {
  std::vector<Nest> nests(1);
  nests.front().slices.reserve(lane.slices.size());
  for (const TraceSlice& slice : lane.slices) {
    if (!nest_for(slice, overlap, nests).take(slice)) continue;
    ++losses.clipped;
    marks.add(
        "clipped", slice.start_ns,
        fmt::format("{} ended after what it is part of; it is shown up to there", slice.name));
  }
  for (std::size_t i = 0; i < nests.size(); ++i)
    lanes.push_back({.pid = lane.pid,
                     .tid = i == 0 ? lane.tid : ++last_tid,
                     .name = i == 0 ? lane.name : fmt::format("{} ({})", lane.name, i + 1),
                     .slices = std::move(nests[i].slices)});
}

}  // namespace

std::vector<TraceLane> joined_lanes(std::vector<TraceLane> lanes) {
  std::vector<TraceLane> joined;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  for (TraceLane& lane : lanes) {
    if (lane.slices.empty()) continue;
    const auto [place, is_new] = places.try_emplace(std::pair(lane.pid, lane.tid), joined.size());
    if (is_new)
      joined.push_back(std::move(lane));
    else
      std::ranges::copy(lane.slices, std::back_inserter(joined[place->second].slices));
  }
  return joined;
}

void sort_parents_first(std::vector<TraceSlice>& slices) {
  for (TraceSlice& slice : slices) slice.end_ns = std::max(slice.start_ns, slice.end_ns);
  std::ranges::stable_sort(slices, [](const TraceSlice& a, const TraceSlice& b) {
    return std::tuple(a.start_ns, -a.end_ns, a.depth) < std::tuple(b.start_ns, -b.end_ns, b.depth);
  });
}

std::vector<TraceLane> nested_lanes(std::vector<TraceLane> lanes, Overlap overlap,
                                    std::int64_t& last_tid, TraceLosses& losses, LossMarks& marks) {
  std::vector<TraceLane> result;
  for (TraceLane& lane : lanes) {
    if (overlap == Overlap::Clip) clip_calls(lane.slices, losses, marks);
    sort_parents_first(lane.slices);
    nest(std::move(lane), overlap, last_tid, losses, marks, result);
  }
  return result;
}

}  // namespace normbench
