#include "machine/numa.h"

#include <gmock/gmock.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace normbench::numa_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two sockets, each with two cores of two hardware threads. The three numbers of a hardware thread
/// are its CPU, its core and its NUMA node. The threads of core n are the CPUs n and n + 4.
const std::vector<HardwareThread> two_sockets{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {5, 1, 0},
                                              {2, 2, 1}, {6, 2, 1}, {3, 3, 1}, {7, 3, 1}};

TEST(GpuDayNuma, EveryThreadOfATeamHasTheNodeOfItsCpu) {
  EXPECT_THAT(nodes_of(std::vector{0, 1, 2, 3, 4}, two_sockets), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(nodes_of(std::vector{0, 9}, two_sockets), IsEmpty());
  EXPECT_THAT(nodes_of(std::vector{0, 1}, std::vector<HardwareThread>{{0, 0}, {1, 1}}), IsEmpty());
}

/// The NUMA memory policy of this thread. `first` is the mode (MPOL_...) with its flags. `second`
/// has one bit for each of the first 64 NUMA nodes.
using Policy = std::pair<int, unsigned long>;

constexpr unsigned long bits = 1025;

bool set_policy(const Policy& policy) {
  const std::array<unsigned long, 16> nodes{policy.second};
  return syscall(SYS_set_mempolicy, policy.first, nodes.data(), bits) == 0;
}
Policy policy() {
  int mode = -1;
  std::array<unsigned long, 16> nodes{};
  syscall(SYS_get_mempolicy, &mode, nodes.data(), bits, nullptr, 0UL);
  return {mode, nodes[0]};
}

struct GpuDayPolicy : testing::Test {
  void SetUp() override {
    if (!set_policy({MPOL_DEFAULT, 0})) GTEST_SKIP() << "memory policies cannot be set here";
  }
  void TearDown() override { set_policy({MPOL_DEFAULT, 0}); }
};

TEST_F(GpuDayPolicy, IsThatOfTheNodeUntilItIsAgainWhatItWas) {
  for (const Policy& found :
       {Policy{MPOL_DEFAULT, 0}, Policy{MPOL_BIND, 1}, Policy{MPOL_BIND | MPOL_F_STATIC_NODES, 1},
        Policy{MPOL_INTERLEAVE, 1}, Policy{MPOL_PREFERRED, 1}}) {
    ASSERT_TRUE(set_policy(found));
    {
      const NearNode near(0);
      EXPECT_EQ(near.missing(), "");
      EXPECT_EQ(policy(), Policy(MPOL_PREFERRED, 1));
    }
    EXPECT_EQ(policy(), found);
  }
}

TEST_F(GpuDayPolicy, SaysWhyThereIsNone) {
  ASSERT_TRUE(set_policy({MPOL_BIND, 1}));
  {
    const NearNode near(1000);
    EXPECT_EQ(near.missing(), "set_mempolicy failed: Invalid argument");
    EXPECT_EQ(policy(), Policy(MPOL_BIND, 1));
  }
  EXPECT_EQ(policy(), Policy(MPOL_BIND, 1));
}

}  // namespace
}  // namespace normbench::numa_test
