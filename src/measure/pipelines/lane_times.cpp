#include "measure/pipelines/lane_times.h"

#include <algorithm>

namespace normbench {

std::vector<LaneTimes> lane_times(const std::vector<LaneSpan>& spans, std::size_t lanes) {
  struct Change {
    std::int64_t at_ns;
    int by;
    std::size_t lane;
  };
  std::vector<Change> changes;
  std::vector<LaneTimes> times(lanes);
  for (const LaneSpan& span : spans) {
    times[span.lane].busy_ns += span.end_ns - span.start_ns;
    changes.push_back({span.start_ns, 1, span.lane});
    changes.push_back({span.end_ns, -1, span.lane});
  }
  std::ranges::sort(changes, {}, &Change::at_ns);
  std::vector<int> at_work(lanes);  // items in each lane
  std::int64_t before_ns = 0;
  for (const Change& change : changes) {
    const auto is_working = [](int items) { return items > 0; };
    if (std::ranges::count_if(at_work, is_working) == 1) {
      const auto only = std::ranges::find_if(at_work, is_working) - at_work.begin();
      times[static_cast<std::size_t>(only)].exposed_ns += change.at_ns - before_ns;
    }
    at_work[change.lane] += change.by;
    before_ns = change.at_ns;
  }
  return times;
}

}  // namespace normbench
