#include <gmock/gmock.h>

#include "measure/stage_times.h"

namespace normbench::lane_times_test {
namespace {

StageSpan span(std::size_t lane, std::int64_t start_ns, std::int64_t end_ns) {
  return {.run = {}, .lane = lane, .start_ns = start_ns, .end_ns = end_ns};
}

TEST(LaneTimes, ExposedIsWhatNoOtherLaneHides) {
  // The spans of two lanes, in ns. Lane 1 works on two items at once.
  //   lane 0:  [0, 10) and [12, 16)
  //   lane 1:  [4, 10), [14, 20) and [15, 18)
  // Lane 0 works alone in [0, 4) and [12, 14), and lane 1 in [16, 20).
  const auto times = lane_times(
      {span(0, 0, 10), span(1, 4, 10), span(1, 14, 20), span(0, 12, 16), span(1, 15, 18)}, 3);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].busy_ns, 14);
  EXPECT_EQ(times[0].exposed_ns, 4 + 2);
  EXPECT_EQ(times[1].busy_ns, 6 + 6 + 3);
  EXPECT_EQ(times[1].exposed_ns, 4);
  EXPECT_EQ(times[2].busy_ns, 0);
  EXPECT_EQ(times[2].exposed_ns, 0);
}

TEST(LaneTimes, OneAfterTheOtherIsAllExposed) {
  const auto times = lane_times({span(0, 0, 5), span(1, 5, 7), span(0, 7, 12)}, 2);
  EXPECT_EQ(times[0].exposed_ns, times[0].busy_ns);
  EXPECT_EQ(times[1].exposed_ns, times[1].busy_ns);
}

TEST(LaneTimes, WithoutSpansAreZero) { EXPECT_EQ(lane_times({}, 1)[0].exposed_ns, 0); }

}  // namespace
}  // namespace normbench::lane_times_test
