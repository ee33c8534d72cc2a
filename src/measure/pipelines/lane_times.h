/// How long the lanes of a pipeline worked, and how much of that nothing else hid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normbench {

/// A stage's work for one item, on the host's clock.
struct LaneSpan {
  std::size_t lane = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::size_t stage = 0;
  std::int64_t item = 0;
  std::int64_t stream = 0;  // of the device that did it, counted from 1; 0: the host did
};

struct LaneTimes {
  std::int64_t busy_ns = 0;     // the sum of its servers' work
  std::int64_t exposed_ns = 0;  // while it worked and no other lane did
};
/// The times of each of so many lanes.
std::vector<LaneTimes> lane_times(const std::vector<LaneSpan>& spans, std::size_t lanes);

}  // namespace normbench
