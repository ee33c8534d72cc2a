#include "backend/cpu/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "record/thread_name.h"

namespace normbench {
namespace {

using testing::ElementsAre;

TEST(Team, ThrowsWhatAPartThrew) {
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

TEST(Team, OtherThreadsAreNamed) {
  const auto queue = make_cpu_backend()->make_queue(3, nullptr);
  std::vector<std::string> names(3);
  split(*queue, 3, 1, [&](std::int64_t begin, std::int64_t) {
    names[static_cast<std::size_t>(begin)] = name_of_this_thread();
  });
  EXPECT_THAT(names, ElementsAre("backend_test", "omp worker 1", "omp worker 2"));
}

/// "thread: slice kind depth" of all that a team of three records of a stage.
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

TEST(Team, SharesOfOtherThreadsAreRanges) {
  EXPECT_THAT(shares_of("load", true),
              testing::UnorderedElementsAre(
                  "backend_test: read part depth 0", "omp worker 1: read part depth 1",
                  "omp worker 1: load worker depth 0", "omp worker 2: read part depth 1",
                  "omp worker 2: load worker depth 0"));
  EXPECT_THAT(shares_of("load", false), ElementsAre());
}

TEST(Team, SharesOfAStageWithoutARangeAreNone) {
  EXPECT_THAT(shares_of("", true),
              testing::UnorderedElementsAre("backend_test: read part depth 0",
                                            "omp worker 1: read part depth 0",
                                            "omp worker 2: read part depth 0"));
}

}  // namespace
}  // namespace normbench
