#include "trace/skew.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "trace/lanes.h"

namespace normbench {

void start_after_calls(TraceLane& stream, const TraceModel& model, const HostIndex& index,
                       TraceLosses& losses, LossMarks& marks) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  sort_parents_first(stream.slices);
  std::int64_t end_ns = never, moved_end_ns = never;  // of all work so far
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
      marks.add("before_launch", call_ns,
                fmt::format("{} seems to start {} ns before {}; it is shown with it", work.name,
                            skew_ns, index.slice(*origin).name));
      start_ns = std::max(start_ns, call_ns);
    }
    work.end_ns += start_ns - work.start_ns;
    work.start_ns = start_ns;
    moved_end_ns = std::max(moved_end_ns, work.end_ns);
  }
}

}  // namespace normbench
