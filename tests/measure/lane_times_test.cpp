#include "measure/pipelines/lane_times.h"

#include <gmock/gmock.h>

namespace normbench::lane_times_test {
namespace {

TEST(LaneTimes, ExposedIsWhatNoOtherLaneHides) {
  //  lane 0: 0...........10  12...16
  //  lane 1:      4......10     14......20
  //  lane 1, the other server:     15.18
  const auto times = lane_times({{0, 0, 10}, {1, 4, 10}, {1, 14, 20}, {0, 12, 16}, {1, 15, 18}}, 3);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].busy_ns, 14);
  EXPECT_EQ(times[0].exposed_ns, 4 + 2);
  EXPECT_EQ(times[1].busy_ns, 6 + 6 + 3);
  EXPECT_EQ(times[1].exposed_ns, 4);
  EXPECT_EQ(times[2].busy_ns, 0);
  EXPECT_EQ(times[2].exposed_ns, 0);
}

TEST(LaneTimes, OneAfterTheOtherIsAllExposed) {
  const auto times = lane_times({{0, 0, 5}, {1, 5, 7}, {0, 7, 12}}, 2);
  EXPECT_EQ(times[0].exposed_ns, times[0].busy_ns);
  EXPECT_EQ(times[1].exposed_ns, times[1].busy_ns);
}

TEST(LaneTimes, WithoutSpansAreZero) { EXPECT_EQ(lane_times({}, 1)[0].exposed_ns, 0); }

}  // namespace
}  // namespace normbench::lane_times_test
