#include "trace/clip_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace normbench {
namespace {

bool is_call(const TraceSlice& slice) {
  return slice.kind == TraceKind::CudaRuntime || slice.kind == TraceKind::CudaDriver;
}

/// Starts and ends of all ranges, sorted.
std::vector<std::int64_t> borders_of(const std::vector<TraceSlice>& slices) {
  std::vector<std::int64_t> borders;
  for (const TraceSlice& slice : slices)
    if (!is_call(slice)) borders.insert(borders.end(), {slice.start_ns, slice.end_ns});
  std::ranges::sort(borders);
  return borders;
}

}  // namespace

void clip_calls(std::vector<TraceSlice>& slices, TraceLosses& losses, LossMarks& marks) {
  const std::vector<std::int64_t> borders = borders_of(slices);
  for (TraceSlice& slice : slices) {
    if (!is_call(slice) || slice.end_ns <= slice.start_ns) continue;
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

}  // namespace normbench
