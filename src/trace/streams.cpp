#include "trace/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "trace/lanes.h"

namespace normbench {
namespace {

/// The time from the start of the first device work that a host range submitted to a stream, to the
/// end of the last such work.
struct Extent {
  std::int64_t start_ns, end_ns;
  std::int64_t levels;  // number of nested ranges from this one (included) to the work
};

/// The start times and the end times of the device work on a stream.
class StreamBorders {
 public:
  explicit StreamBorders(const TraceLane& stream) {
    for (const TraceSlice& slice : stream.slices) {
      if (!is_gpu_work(slice.kind)) continue;
      starts_.push_back(slice.start_ns);
      ends_.push_back(slice.end_ns);
    }
    std::ranges::sort(starts_);
    std::ranges::sort(ends_);
  }

  /// Both functions return how many ns an annotation may start before its first work, or end after
  /// its last work. This is `wanted`, but at most half the gap to the neighbouring work, because
  /// the annotation of that work may need the other half.
  std::int64_t before(std::int64_t start_ns, std::int64_t wanted) const {
    const auto next = std::ranges::upper_bound(ends_, start_ns);
    if (next == ends_.begin()) return wanted;
    return std::min(wanted, (start_ns - *std::prev(next)) / 2);
  }
  std::int64_t after(std::int64_t end_ns, std::int64_t wanted) const {
    const auto next = std::ranges::lower_bound(starts_, end_ns);
    return next == starts_.end() ? wanted : std::min(wanted, (*next - end_ns) / 2);
  }

 private:
  std::vector<std::int64_t> starts_, ends_;
};

bool is_annotated(const TraceSlice& range) {
  return range.kind == TraceKind::UserAnnotation || range.kind == TraceKind::CpuOp;
}

std::map<SliceAt, Extent> extents(const TraceLane& stream, const HostIndex& index) {
  std::map<SliceAt, Extent> found;
  for (const TraceSlice& work : stream.slices) {
    if (!is_gpu_work(work.kind)) continue;
    std::int64_t level = 0;
    for (auto at = index.origin(work); at; at = index.parent(*at)) {
      if (!is_annotated(index.slice(*at))) continue;
      Extent& extent = found.try_emplace(*at, Extent{work.start_ns, work.end_ns, 0}).first->second;
      extent.start_ns = std::min(extent.start_ns, work.start_ns);
      extent.end_ns = std::max(extent.end_ns, work.end_ns);
      extent.levels = std::max(extent.levels, ++level);
    }
  }
  return found;
}

}  // namespace

HostIndex::HostIndex(const std::vector<TraceLane>& hosts) : hosts_(hosts) {
  for (std::size_t lane = 0; lane < hosts.size(); ++lane) add_lane(lane);
  for (auto& [id, ranges] : ranges_)
    std::ranges::stable_sort(ranges, {}, [&](SliceAt at) { return slice(at).start_ns; });
}

void HostIndex::add_lane(std::size_t lane) {
  const std::vector<TraceSlice>& slices = hosts_[lane].slices;
  std::vector<std::int32_t>& parents = parents_.emplace_back();
  parents.reserve(slices.size());
  std::vector<std::int32_t> open;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto ended = [&](std::int32_t at) {
      return slices[static_cast<std::size_t>(at)].end_ns <= slices[i].start_ns;
    };
    while (!open.empty() && ended(open.back())) open.pop_back();
    parents.push_back(open.empty() ? -1 : open.back());
    open.push_back(static_cast<std::int32_t>(i));
    if (!is_call(slices[i].kind)) {
      if (slices[i].external_id != 0) ranges_[slices[i].external_id].push_back({lane, i});
    } else if (slices[i].correlation >= 0) {
      calls_.try_emplace(slices[i].correlation, SliceAt{lane, i});
    }
  }
}

std::optional<SliceAt> HostIndex::call(std::int64_t correlation) const {
  const auto found = calls_.find(correlation);
  return found == calls_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SliceAt> HostIndex::range(std::uint64_t external_id, std::int64_t ns) const {
  const auto found = ranges_.find(external_id);
  if (found == ranges_.end()) return std::nullopt;
  const auto next = std::ranges::upper_bound(found->second, ns, {},
                                             [&](SliceAt at) { return slice(at).start_ns; });
  return next == found->second.begin() ? *next : *std::prev(next);
}

std::optional<SliceAt> HostIndex::origin(const TraceSlice& work) const {
  if (const auto at = call(work.correlation)) return at;
  return range(work.external_id, work.start_ns);
}

std::optional<SliceAt> HostIndex::parent(SliceAt at) const {
  const std::int32_t parent = parents_[at.lane][at.slice];
  return parent < 0 ? std::nullopt
                    : std::optional(SliceAt{at.lane, static_cast<std::size_t>(parent)});
}

void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  sort_parents_first(stream.slices);
  // The latest end of the work so far: `end_ns` as recorded, `moved_end_ns` after the moves.
  std::int64_t end_ns = never, moved_end_ns = never;
  for (TraceSlice& work : stream.slices) {
    if (!model.is_device_time(work)) continue;
    const bool follows = work.start_ns >= end_ns;
    end_ns = std::max(end_ns, work.end_ns);
    std::int64_t start_ns = follows ? std::max(work.start_ns, moved_end_ns) : work.start_ns;
    const auto origin = index.origin(work);
    const std::int64_t call_ns = origin ? index.slice(*origin).start_ns : never;
    if (work.start_ns < call_ns) {
      const std::int64_t skew_ns = call_ns - work.start_ns;
      ++losses.before_launch;
      losses.most_skew_ns = std::max(losses.most_skew_ns, skew_ns);
      marks.add(
          "before_launch", call_ns,
          fmt::format("{} seems to start {} ns before {}; it is shown at the start of that call",
                      work.name, skew_ns, index.slice(*origin).name));
      start_ns = std::max(start_ns, call_ns);
    }
    work.end_ns += start_ns - work.start_ns;
    work.start_ns = start_ns;
    moved_end_ns = std::max(moved_end_ns, work.end_ns);
  }
}

void annotate(TraceLane& stream, const HostIndex& index) {
  const StreamBorders borders(stream);
  for (const auto& [at, extent] : extents(stream, index)) {
    const TraceSlice& range = index.slice(at);
    stream.slices.push_back(
        {.start_ns = extent.start_ns - borders.before(extent.start_ns, extent.levels),
         .end_ns = extent.end_ns + borders.after(extent.end_ns, extent.levels),
         .name = range.name,
         .kind = TraceKind::GpuUserAnnotation,
         .depth = range.depth,
         .external_id = range.external_id,
         .label = range.label});
  }
}

}  // namespace normbench
