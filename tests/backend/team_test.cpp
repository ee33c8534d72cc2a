#include "backend/cpu/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/kernel_testing.h"
#include "machine/affinity.h"
#include "record/thread_name.h"

namespace normbench::team_test {
namespace {

using testing::ElementsAre;

class Team : public testing::Test {
 protected:
  void SetUp() override {
    if (omp_get_thread_limit() < 3) GTEST_SKIP() << "OpenMP gives no teams (OMP_THREAD_LIMIT)";
  }
};

/// Returns the number of threads that take part in `work`. A thread with an empty share counts as
/// well.
int team_of(int threads, const std::function<void(Queue&)>& work) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const auto queue = make_cpu_backend()->make_queue(threads, &recorder);
  queue->stage = "counted";
  work(*queue);
  int others = 0;  // without the caller, whose share is not recorded
  for (const ThreadLog& log : recorder.take())
    others += std::ranges::any_of(log.slices, [](const Slice& slice) {
      return slice.kind == RangeKind::Worker && slice.name == "counted";
    });
  return 1 + others;
}

using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Returns the parts that split() gives to the threads of a queue, sorted.
Parts parts_of(const Queue& queue, std::int64_t total, std::int64_t unit) {
  std::mutex mutex;
  Parts parts;
  split(queue, total, unit, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::ranges::sort(parts);
  return parts;
}

TEST_F(Team, PartsAreWholeUnitsInOrder) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  EXPECT_EQ(parts_of(*queue, 100, 8), (Parts{{0, 32}, {32, 64}, {64, 100}}));
  EXPECT_EQ(parts_of(*queue, 9, 8), (Parts{{0, 8}, {8, 9}}));
  EXPECT_EQ(parts_of(*queue, 8, 8), (Parts{{0, 8}}));
  EXPECT_EQ(parts_of(*queue, 0, 8), Parts{});
}

TEST_F(Team, IsAsLargeAsWrittenHoweverLittleThereIs) {
  for (const int threads : {1, 2, 3})
    for (const std::int64_t total : {0, 1, 100})
      EXPECT_EQ(team_of(threads, [&](Queue& queue) { parts_of(queue, total, 64); }), threads);
}

TEST_F(Team, OfARowOnASmallBatchIsAsLargeAsWritten) {
  const std::pair<Op, std::string_view> rows[] = {
      {Cast{DType::Float32}, "simd"},
      {Copy{}, "temporal"},
      {FlipOp{Flip::Horizontal}, "blocked"},
      {Normalize{.mean = {1}, .std = {2}, .to = DType::Float32}, "fused"},
      {Resize{.height = 32, .width = 32}, "separable"}};
  Guarded from(dense(DType::UInt8, Layout::Nchw, {1, 1, 64, 64}, Memory::Pageable));  // 4 KiB
  const View in = from.view();
  fill(in);
  for (const auto& [op, name] : rows) {
    Guarded to(infer(op, std::span(&in.desc, 1))[0]);
    const View out = to.view();
    const Launch run = cpu_row(name_of(op), name).prepare(op, {.in = {in.desc}, .out = {out.desc}});
    for (const int threads : {1, 2, 3})
      EXPECT_EQ(team_of(threads,
                        [&](Queue& queue) {
                          run(queue, {&in, 1}, {&out, 1}, {});
                        }),
                threads)
          << name_of(op);
  }
}

TEST_F(Team, InsideAnotherIsTheCaller) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  std::atomic<int> parts = 0;
  split(*queue, 3, 1, [&](std::int64_t, std::int64_t) {
    EXPECT_EQ(parts_of(*queue, 100, 8), (Parts{{0, 100}}));
    ++parts;
  });
  EXPECT_EQ(parts, 3);
}

TEST_F(Team, OneThreadHasNone) {
  const auto queue = make_cpu_backend()->make_queue(1, nullptr);
  EXPECT_EQ(parts_of(*queue, 100, 8), (Parts{{0, 100}}));
}

TEST_F(Team, ThrowsWhatAPartThrew) {
  for (const int threads : {1, 3}) {
    const auto queue = make_cpu_backend()->make_queue(threads, nullptr);
    std::vector<int> done(6, 0);
    EXPECT_THROW(split(*queue, 6, 1,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) ++done[i];
                         if (end == 6) throw std::bad_alloc();
                       }),
                 std::bad_alloc);
    EXPECT_EQ(done, std::vector<int>(6, 1)) << threads << " threads";
  }
}

constexpr std::int64_t kKiB = 1 << 10, kMiB = 1 << 20;
constexpr std::array zen4{32 * kKiB, kMiB, 32 * kMiB};

TEST(TeamFor, SmallImagesHaveOneThreadAndLargeOnesAll) {
  const auto floats = [](std::int64_t images, std::int64_t height, std::int64_t width) {
    return 4 * 3 * images * height * width;
  };
  for (const int threads : {2, 8, 64, 256}) {
    EXPECT_EQ(team_for(2 * floats(1, 256, 256), threads, zen4), 1);  // sub from floats to floats
    EXPECT_EQ(team_for(floats(1, 480, 640) * 5 / 4, threads, zen4), threads);
    EXPECT_EQ(team_for(floats(2, 720, 1280) * 5 / 4, threads, zen4), threads);
  }
}

TEST(TeamFor, NeedsWhatSavesTheWaking) {
  EXPECT_EQ(team_for(3'200'000, 2, {}), 1);
  EXPECT_EQ(team_for(3'200'001, 2, {}), 2);
  EXPECT_EQ(team_for(2'000'000, 5, {}), 1);
  EXPECT_EQ(team_for(2'000'001, 5, {}), 5);
  EXPECT_EQ(team_for(std::int64_t{1} << 40, 1, {}), 1);
}

TEST(TeamFor, NeedsMoreThanACoreKeepsToItself) {
  const std::array large{64 * kKiB, 16 * kMiB, 64 * kMiB};
  EXPECT_EQ(team_for(16 * kMiB, 2, large), 1);
  EXPECT_EQ(team_for(16 * kMiB + 1, 2, large), 2);
  EXPECT_EQ(team_for(4 * kMiB, 2, std::array{16 * kMiB}), 2);  // cores may share a single cache
}

TEST(TeamFor, IsExplained) {
  EXPECT_EQ(explain_team(1, zen4), "one thread, as this process may use only one");
  EXPECT_EQ(explain_team(2, zen4),
            "\"all\" is 2 threads for a case with a stage that moves more than 3.20 MB, else 1: "
            "what a team of 2 saves at 16 GB/s a thread must exceed 0.1 ms for waking it, and a "
            "core's own cache holds 1.05 MB. A number is used as written");
}

/// Returns a text like "omp worker 1: read part depth 0" for each slice that a team of three
/// threads records for a stage: the thread, and then the name, kind and depth of the slice.
std::vector<std::string> shares_of(std::string_view stage, bool enabled) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(enabled);
  const auto queue = make_cpu_backend()->make_queue(3, &recorder);
  queue->stage = stage;
  split(*queue, 3, 1, [&](std::int64_t, std::int64_t) {
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

/// Returns the CPUs that this thread may run on.
std::vector<int> cpus_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

/// Returns the CPUs of each thread of a team, by rank.
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

// The system may move an unbound thread to the right CPU by chance, but not in half of the tries.
TEST_F(BoundTeam, MovesTheCallerAwayFromAnothersCpu) {
  constexpr int tries = 20;
  int moved = 0;
  std::thread([&] {
    on_team(2, [](int, int) {});
    for (int i = 0; i < tries; ++i) {
      ASSERT_TRUE(bind_this_thread(only(team_cpus()[1])));
      ASSERT_TRUE(bind_this_thread(allowed_cpus()));  // unbound, but not moved yet
      on_team(2, [&](int rank, int) {
        if (rank == 0 && sched_getcpu() == team_cpus()[0]) ++moved;
      });
    }
  }).join();
  EXPECT_GE(moved, tries / 2);
}

TEST_F(BoundTeam, LeavesACallerWhereItIsBound) {
  std::thread([] {
    on_team(2, [](int, int) {});  // LLVM's OpenMP unbinds a thread at its first team
    ASSERT_TRUE(bind_this_thread(only(team_cpus()[1])));
    EXPECT_THAT(cpus_of_team(2)[0], ElementsAre(team_cpus()[1]));
  }).join();
}

}  // namespace
}  // namespace normbench::team_test
