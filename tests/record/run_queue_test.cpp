#include "record/run_queue.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/scratch_folder.h"
#include "record/clock.h"

namespace normbench::run_queue_test {
namespace {

namespace fs = std::filesystem;

void write_task(const fs::path& tasks, const std::string& thread, const std::string& schedstat) {
  fs::create_directories(tasks / thread);
  std::ofstream(tasks / thread / "schedstat") << schedstat;
}

TEST(RunQueue, IsTheSecondNumberOfEachThread) {
  const ScratchFolder folder("");
  const fs::path tasks = fs::path(folder.path()) / "task";
  write_task(tasks, "12", "500 70 3\n");
  write_task(tasks, "7", "1000 20 4\n");
  const auto delays = queue_delays(tasks);
  ASSERT_EQ(delays.size(), 2);
  EXPECT_EQ(delays[0].thread, 7);
  EXPECT_EQ(delays[0].run_ns, 1000);
  EXPECT_EQ(delays[0].waited_ns, 20);
  EXPECT_EQ(delays[1].thread, 12);
  EXPECT_EQ(delays[1].run_ns, 500);
  EXPECT_EQ(delays[1].waited_ns, 70);
}

TEST(RunQueue, LeavesOutWhatCannotBeRead) {
  const ScratchFolder folder("");
  const fs::path tasks = fs::path(folder.path()) / "task";
  EXPECT_TRUE(queue_delays(tasks).empty());
  write_task(tasks, "1", "");
  write_task(tasks, "2", "12");
  write_task(tasks, "3", "twelve 4 5");
  write_task(tasks, "other", "1 2 3");
  fs::create_directories(tasks / "4");
  EXPECT_TRUE(queue_delays(tasks).empty());
}

TEST(RunQueue, LongestIsThatOfOneThread) {
  EXPECT_EQ(longest_delay({}, {}, 100), 0);
  EXPECT_EQ(longest_delay({{1, 5, 100}, {2, 5, 50}}, {{1, 60, 130}, {2, 60, 90}}, 100), 40);
  EXPECT_EQ(longest_delay({{1, 5, 100}}, {{1, 60, 110}, {3, 60, 25}}, 100), 25);  // tid 3 is new
  EXPECT_EQ(longest_delay({{1, 5, 100}, {2, 5, 50}}, {{1, 60, 104}}, 100), 4);    // tid 2 ended
}

TEST(RunQueue, LongestIsNotThatOfAThreadThatHardlyRan) {
  EXPECT_EQ(longest_delay({{1, 0, 0}, {2, 0, 0}}, {{1, 990, 10}, {2, 9, 500}}, 1000), 10);
  EXPECT_EQ(longest_delay({{1, 0, 0}}, {{1, 10, 5000}}, 1000), 1000);  // at most `between_ns`
}

/// Two threads share a CPU, so each waits for about half of the time.
TEST(RunQueue, CountsWhatAThreadOnTheSameCpuTakes) {
  SystemClock clock;
  if (clock.queue_delays().empty()) GTEST_SKIP() << "this kernel does not count run queue delays";
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> done = false;
  std::thread neighbour([&] {
    while (!done) {
    }
  });
  const auto delays = clock.queue_delays();
  const std::int64_t start_ns = clock.now_ns();
  while (clock.now_ns() - start_ns < 200'000'000) {
  }
  std::vector<QueueDelay> own, own_before;
  for (const QueueDelay& delay : clock.queue_delays())
    if (delay.thread == getpid()) own.push_back(delay);
  for (const QueueDelay& delay : delays)
    if (delay.thread == getpid()) own_before.push_back(delay);
  done = true;
  neighbour.join();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_GT(longest_delay(own_before, own, 200'000'000), 20'000'000);
}

TEST(BusyProcessors, AreAllTimesButIdleOnes) {
  const std::string file = testing::TempDir() + "stat";
  const auto busy_ns = [&](const std::string& text) {
    std::ofstream(file) << text;
    return busy_processors_ns(file);
  };
  const std::int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  EXPECT_EQ(busy_ns("cpu  1 2 4 1000 2000 8 16 32 64 128\ncpu0 1 2 4\n"), 63 * tick_ns);
  EXPECT_EQ(busy_ns("cpu  1 2 4\n"), 7 * tick_ns);  // an old kernel has fewer numbers
  EXPECT_EQ(busy_ns("intr 1 2 4\n"), 0);
  EXPECT_EQ(busy_ns(""), 0);
  EXPECT_EQ(busy_processors_ns("/no/such/file"), 0);
  EXPECT_GT(busy_processors_ns("/proc/stat"), 0);
}

TEST(BusyProcessors, BelongToOthersIfTheCaseDidNotUseThem) {
  const std::int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  EXPECT_EQ(time_of_others(50 * tick_ns, 30 * tick_ns), 18 * tick_ns);
  EXPECT_EQ(time_of_others(31 * tick_ns, 30 * tick_ns), 0);
  EXPECT_EQ(time_of_others(0, 30 * tick_ns), 0);
}

}  // namespace
}  // namespace normbench::run_queue_test
