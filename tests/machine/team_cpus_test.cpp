#include "machine/team_cpus.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "machine/affinity.h"

namespace normbench::team_cpus_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

cpu_set_t set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  return set;
}

const std::vector<HardwareThread> neighbours{{0, 0}, {1, 0}, {2, 1}, {3, 1}};
const std::vector<HardwareThread> halves{{0, 0}, {2, 0}, {1, 1}, {3, 1}};

TEST(CoresFirst, TakesOneThreadOfEachCoreBeforeTheirSecond) {
  EXPECT_THAT(cores_first(neighbours, set_of({0, 1, 2, 3})), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(cores_first(halves, set_of({0, 1, 2, 3})), ElementsAre(0, 1, 2, 3));
}

TEST(CoresFirst, TakesOnlyWhatIsAllowed) {
  EXPECT_THAT(cores_first(neighbours, set_of({1, 2, 3})), ElementsAre(1, 2, 3));
  EXPECT_THAT(cores_first(neighbours, set_of({2, 3})), ElementsAre(2, 3));
  EXPECT_THAT(cores_first(neighbours, set_of({7})), IsEmpty());
  EXPECT_THAT(cores_first({}, set_of({0})), IsEmpty());
}

TEST(CoresFirst, SkipsCpusThatNoSetHolds) {
  const std::vector<HardwareThread> huge{{CPU_SETSIZE, 0}, {5, 1}};
  EXPECT_THAT(cores_first(huge, set_of({5})), ElementsAre(5));
}

TEST(NumbersText, JoinsThoseThatFollowOneAnother) {
  const auto text = [](const std::vector<int>& numbers) { return numbers_text(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({3}), "3");
  EXPECT_EQ(text({0, 1}), "0, 1");
  EXPECT_EQ(text({0, 1, 2, 3, 8, 10, 11}), "0-3, 8, 10, 11");
  EXPECT_EQ(text({0, 2, 1, 3}), "0, 2, 1, 3");
}

TEST(TeamCpus, AreAllThatAreAllowedOnce) {
  if (std::getenv("OMP_PROC_BIND")) GTEST_SKIP() << "OMP_PROC_BIND is set";
  const std::set<int> once(team_cpus().begin(), team_cpus().end());
  EXPECT_EQ(once.size(), team_cpus().size());
  EXPECT_EQ(static_cast<int>(once.size()), CPU_COUNT(&allowed_cpus()));
  for (const int cpu : once) EXPECT_TRUE(CPU_ISSET(cpu, &allowed_cpus()));
  EXPECT_EQ(explain_binding(),
            "each to a CPU of its own by hwloc, cores first: " + numbers_text(team_cpus()));
}

}  // namespace
}  // namespace normbench::team_cpus_test
