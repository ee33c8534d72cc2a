#include "trace/annotations.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace normbench {
namespace {

/// What a range did on a stream.
struct Extent {
  std::int64_t start_ns, end_ns;
  std::int64_t levels;  // of annotations from the work up to this one
};

/// Where the work of a stream starts and ends.
class Borders {
 public:
  explicit Borders(const TraceLane& stream) {
    for (const TraceSlice& slice : stream.slices) {
      if (!is_gpu_work(slice.kind)) continue;
      starts_.push_back(slice.start_ns);
      ends_.push_back(slice.end_ns);
    }
    std::ranges::sort(starts_);
    std::ranges::sort(ends_);
  }

  /// How far before and after these times an annotation may go, `wanted` at most: those of
  /// neighbouring work share the room between.
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

void annotate(TraceLane& stream, const HostIndex& index) {
  const Borders borders(stream);
  for (const auto& [at, extent] : extents(stream, index)) {
    const TraceSlice& range = index.slice(at);
    stream.slices.push_back(
        {.start_ns = extent.start_ns - borders.before(extent.start_ns, extent.levels),
         .end_ns = extent.end_ns + borders.after(extent.end_ns, extent.levels),
         .name = range.name,
         .kind = TraceKind::GpuUserAnnotation,
         .depth = range.depth,
         .external_id = range.external_id});
  }
}

}  // namespace normbench
