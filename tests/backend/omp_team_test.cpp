#include "backend/cpu/omp_team.h"

#include <gmock/gmock.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "machine/affinity.h"
#include "record/thread_name.h"

namespace normbench::omp_team_test {
namespace {

using testing::ElementsAre;

/// The CPUs that a thread may run on.
std::vector<int> cpus_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

/// Those of a team's threads, by rank.
std::vector<std::vector<int>> cpus_of_team(int threads) {
  std::vector<std::vector<int>> cpus(static_cast<std::size_t>(threads));
  on_team(threads,
          [&](int rank, int) { cpus[static_cast<std::size_t>(rank)] = cpus_of_this_thread(); });
  return cpus;
}

class OmpTeam : public testing::Test {
 protected:
  void SetUp() override {
    if (omp_get_thread_limit() < 4) GTEST_SKIP() << "OpenMP gives no teams (OMP_THREAD_LIMIT)";
  }
};

class BoundTeam : public OmpTeam {
 protected:
  void SetUp() override {
    OmpTeam::SetUp();
    if (team_cpus().size() < 2) GTEST_SKIP() << "threads are bound " << explain_binding();
  }
};

TEST_F(OmpTeam, CallsEveryRankOnce) {
  std::vector<std::string> names(4);
  std::atomic<int> sizes = 0;
  on_team(4, [&](int rank, int size) {
    names[static_cast<std::size_t>(rank)] += name_of_this_thread();
    sizes += size;
  });
  EXPECT_THAT(names, ElementsAre("backend_test", "omp worker 1", "omp worker 2", "omp worker 3"));
  EXPECT_EQ(sizes, 16);
}

TEST_F(OmpTeam, InsideAnotherIsTheCallerAlone) {
  std::atomic<int> calls = 0, inner = 0;
  on_team(2, [&](int, int) {
    ++calls;
    on_team(2, [&](int rank, int size) { inner += 10 * rank + size; });
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(inner, 2);
}

TEST_F(OmpTeam, ThrowsWhatAnyThreadThrew) {
  for (const int thrower : {0, 3}) {
    std::atomic<int> calls = 0;
    EXPECT_THROW(on_team(4,
                         [&](int rank, int) {
                           ++calls;
                           if (rank == thrower) throw std::bad_alloc();
                         }),
                 std::bad_alloc);
    EXPECT_EQ(calls, 4);
  }
}

TEST_F(BoundTeam, HasItsOtherThreadsOnCpusOfTheirOwnAndTheCallerFree) {
  const std::vector<int> all = cpus_of_this_thread();
  const auto cpus = cpus_of_team(2);
  EXPECT_EQ(cpus[0], all);
  EXPECT_THAT(cpus[1], ElementsAre(team_cpus()[1]));
  EXPECT_EQ(cpus_of_this_thread(), all);
}

TEST_F(BoundTeam, WithMoreThreadsThanCpusIsFreeAndBoundAgainWithFewer) {
  const std::vector<int> all = cpus_of_this_thread();
  cpus_of_team(2);
  for (const auto& cpus : cpus_of_team(static_cast<int>(team_cpus().size()) + 1))
    EXPECT_EQ(cpus, all);
  EXPECT_THAT(cpus_of_team(2)[1], ElementsAre(team_cpus()[1]));
}

cpu_set_t only(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  return cpus;
}

// The system may move a free thread whenever it likes, but does not every time.
TEST_F(BoundTeam, MovesTheCallerAwayFromAnothersCpu) {
  constexpr int tries = 20;
  int moved = 0;
  std::thread([&] {
    on_team(2, [](int, int) {});
    for (int i = 0; i < tries; ++i) {
      ASSERT_TRUE(bind_this_thread(only(team_cpus()[1])));
      ASSERT_TRUE(bind_this_thread(allowed_cpus()));  // it stays until something moves it
      on_team(2, [&](int rank, int) {
        if (rank == 0 && sched_getcpu() == team_cpus()[0]) ++moved;
      });
    }
  }).join();
  EXPECT_GE(moved, tries / 2);
}

TEST_F(BoundTeam, LeavesACallerWhereItIsBound) {
  std::thread([] {
    on_team(2, [](int, int) {});  // LLVM's OpenMP frees a thread from its CPU at its first team
    ASSERT_TRUE(bind_this_thread(only(team_cpus()[1])));
    EXPECT_THAT(cpus_of_team(2)[0], ElementsAre(team_cpus()[1]));
  }).join();
}

}  // namespace
}  // namespace normbench::omp_team_test
