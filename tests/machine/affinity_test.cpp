#include "machine/affinity.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>

#include "core/child_process.h"

namespace normbench::affinity_test {
namespace {

cpu_set_t cpus_of_this_thread() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  EXPECT_EQ(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
  return cpus;
}

cpu_set_t first_of(const cpu_set_t& cpus) {
  int first = 0;
  while (!CPU_ISSET(first, &cpus)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  return one;
}

/// Starts a child process from this thread. Returns the line of /proc/self/status that lists the
/// CPUs on which the child may run.
std::string childs_cpus() {
  ChildProcess child({.argv = {"grep", "Cpus_allowed_list", "/proc/self/status"}});
  std::string line, none;
  while (!child.is_silent()) {
    child.wait(false, std::chrono::seconds(10));
    child.read(line, 1000, none);
  }
  return line;
}

TEST(AllowedCpus, AreThoseOfTheProcess) {
  const cpu_set_t now = cpus_of_this_thread();
  EXPECT_TRUE(CPU_EQUAL(&allowed_cpus(), &now));
  EXPECT_GE(CPU_COUNT(&allowed_cpus()), 1);
}

TEST(AllowedCpus, StayWhatTheyWereWhenAThreadIsBound) {
  const cpu_set_t before = allowed_cpus();
  std::thread([] {
    const cpu_set_t one = first_of(allowed_cpus());
    ASSERT_TRUE(bind_this_thread(one));
    EXPECT_TRUE(CPU_ISSET(sched_getcpu(), &one));
  }).join();
  EXPECT_TRUE(CPU_EQUAL(&allowed_cpus(), &before));
}

TEST(BindThisThread, ToNothingIsRefused) {
  cpu_set_t none;
  CPU_ZERO(&none);
  EXPECT_FALSE(bind_this_thread(none));
}

TEST(Unpinned, GivesAllCpusAndTakesThemBack) {
  const std::string all = childs_cpus();
  EXPECT_NE(all, "");
  std::thread([&] {
    const cpu_set_t one = first_of(allowed_cpus());
    ASSERT_TRUE(bind_this_thread(one));
    {
      const Unpinned unpinned;
      const cpu_set_t now = cpus_of_this_thread();
      EXPECT_TRUE(CPU_EQUAL(&now, &allowed_cpus()));
      EXPECT_EQ(childs_cpus(), all);
    }
    const cpu_set_t after = cpus_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&after, &one));
  }).join();
}

TEST(Unpinned, ChangesNothingForAThreadThatIsFree) {
  const cpu_set_t before = cpus_of_this_thread();
  { const Unpinned unpinned; }
  const cpu_set_t after = cpus_of_this_thread();
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
}

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
}  // namespace normbench::affinity_test
