#include "backend/cpu/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace normbench::team_test {
namespace {

using testing::ElementsAre;

constexpr std::int64_t little = 1, much = std::int64_t{1} << 40;  // bytes

class Team : public testing::Test {
 protected:
  void SetUp() override {
    if (omp_get_thread_limit() < 3) GTEST_SKIP() << "OpenMP gives no teams (OMP_THREAD_LIMIT)";
  }
};

using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The parts that a queue's threads are given, in order.
Parts parts_of(const Queue& queue, std::int64_t total, std::int64_t unit, std::int64_t bytes) {
  std::mutex mutex;
  Parts parts;
  split(queue, total, unit, bytes, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::ranges::sort(parts);
  return parts;
}

TEST_F(Team, PartsAreWholeUnitsInOrder) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  EXPECT_EQ(parts_of(*queue, 100, 8, much), (Parts{{0, 32}, {32, 64}, {64, 100}}));
  EXPECT_EQ(parts_of(*queue, 9, 8, much), (Parts{{0, 8}, {8, 9}}));
  EXPECT_EQ(parts_of(*queue, 8, 8, much), (Parts{{0, 8}}));
  EXPECT_EQ(parts_of(*queue, 0, 8, much), Parts{});
}

TEST_F(Team, LittleWorkIsDoneByTheCaller) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(parts_of(*queue, 100, 8, little), (Parts{{0, 100}}));
  const auto caller = std::this_thread::get_id();
  split(*queue, 100, 8, little,
        [&](std::int64_t, std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST_F(Team, LittleWorkHasATeamWhereThatIsAskedFor) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  queue->always_team = true;
  EXPECT_EQ(parts_of(*queue, 100, 8, little).size(), 3);
  queue->always_team = false;
  std::atomic<int> parts = 0;
  split_over_team(*queue, 100, 8, [&](std::int64_t, std::int64_t) { ++parts; });
  EXPECT_EQ(parts, 3);
}

TEST_F(Team, SizeIsWhatSplitUses) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  EXPECT_EQ(team_size(*queue, little), 1);
  EXPECT_EQ(team_size(*queue, much), 3);
  split_over_team(*queue, 3, 1, [&](std::int64_t, std::int64_t) {
    EXPECT_EQ(team_size(*queue, much), 1);  // inside another
  });
  queue->always_team = true;
  EXPECT_EQ(team_size(*queue, little), 3);
}

TEST_F(Team, OneThreadHasNone) {
  const auto queue = make_cpu_backend()->make_queue(1, nullptr);
  queue->always_team = true;
  EXPECT_EQ(parts_of(*queue, 100, 8, much), (Parts{{0, 100}}));
}

TEST_F(Team, ThrowsWhatAPartThrew) {
  for (const int threads : {1, 3}) {
    const auto queue = make_cpu_backend()->make_queue(threads, nullptr);
    std::vector<int> done(6, 0);
    EXPECT_THROW(split(*queue, 6, 1, much,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) ++done[i];
                         if (end == 6) throw std::bad_alloc();
                       }),
                 std::bad_alloc);
    EXPECT_EQ(done, std::vector<int>(6, 1)) << threads << " threads";
  }
}

TEST_F(Team, GrainIsExplained) {
  EXPECT_EQ(explain_grain(1), "one thread, no team");
  EXPECT_THAT(explain_grain(3), testing::StartsWith("a team of 3 pays from "));
  EXPECT_EQ(explain_grain(3), explain_grain(3)) << "it is measured once";
}

/// "thread: slice kind depth" of all that a team of three records of a stage.
std::vector<std::string> shares_of(std::string_view stage, bool enabled) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(enabled);
  const auto queue = make_cpu_backend()->make_queue(3, &recorder);
  queue->stage = stage;
  split_over_team(*queue, 3, 1, [&](std::int64_t, std::int64_t) {
    const Range part(queue->recorder, RangeKind::Part, "read");
  });
  std::vector<std::string> lines;
  for (const ThreadLog& log : recorder.take())
    for (const Slice& slice : log.slices)
      lines.push_back(log.name + ": " + std::string(slice.name) + " " +
                      std::string(name_of(slice.kind)) + " depth " + std::to_string(slice.depth));
  return lines;
}

TEST_F(Team, SharesOfOtherThreadsAreRanges) {
  EXPECT_THAT(shares_of("load", true),
              testing::UnorderedElementsAre(
                  "backend_test: read part depth 0", "omp worker 1: read part depth 1",
                  "omp worker 1: load worker depth 0", "omp worker 2: read part depth 1",
                  "omp worker 2: load worker depth 0"));
  EXPECT_THAT(shares_of("load", false), ElementsAre());
}

TEST_F(Team, SharesOfAStageWithoutARangeAreNone) {
  EXPECT_THAT(shares_of("", true),
              testing::UnorderedElementsAre("backend_test: read part depth 0",
                                            "omp worker 1: read part depth 0",
                                            "omp worker 2: read part depth 0"));
}

}  // namespace
}  // namespace normbench::team_test
