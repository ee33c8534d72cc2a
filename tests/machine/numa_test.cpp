#include "machine/numa.h"

#include <gmock/gmock.h>

namespace normbench::numa_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two sockets with two cores of two threads each, numbered as Linux does.
const std::vector<HardwareThread> two_sockets{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {5, 1, 0},
                                              {2, 2, 1}, {6, 2, 1}, {3, 3, 1}, {7, 3, 1}};

TEST(GpuDayNuma, EveryThreadOfATeamHasTheNodeOfItsCpu) {
  EXPECT_THAT(nodes_of(std::vector{0, 1, 2, 3, 4}, two_sockets), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(nodes_of(std::vector{0, 9}, two_sockets), IsEmpty());
  EXPECT_THAT(nodes_of(std::vector{0, 1}, std::vector<HardwareThread>{{0, 0}, {1, 1}}), IsEmpty());
}

TEST(GpuDayNuma, WorkIsDoneWhereverItsMemoryComesFrom) {
  int done = 0;
  EXPECT_NE(run_near(1000, [&] { ++done; }), "");
  EXPECT_EQ(done, 1);
  run_near(0, [&] { ++done; });
  EXPECT_EQ(done, 2);
  EXPECT_THROW(run_near(0, [] { throw std::runtime_error("no memory"); }), std::runtime_error);
}

}  // namespace
}  // namespace normbench::numa_test
