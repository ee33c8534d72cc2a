#include "machine/disturbance.h"

#include <gtest/gtest.h>

#include "machine/fake_root.h"

namespace normbench::disturbance_test {
namespace {

Disturbance seen(const FakeRoot& root) { return disturbance_reader(root)(); }

TEST(Disturbance, OfAMachineThatSaysNothingIsZero) {
  FakeRoot root;
  EXPECT_EQ(seen(root), Disturbance{});
  root.file("proc/stat", "cpu nonsense\n").file("proc/cpuinfo", "cpu MHz\t\t: fast\n");
  EXPECT_EQ(seen(root), Disturbance{});
}

TEST(Disturbance, StealIsTheEighthNumberOfAllProcessors) {
  FakeRoot root;
  root.file("proc/stat", "cpu  1 2 3 4 5 6 7 42 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n");
  EXPECT_EQ(seen(root), Disturbance{.steal_ns = 420'000'000});  // 42 ticks of 10 ms
  root.file("proc/stat", "cpu  1 2 3 4\n");
  EXPECT_EQ(seen(root), Disturbance{});
}

TEST(Disturbance, ThrottledTimeOfAllGroupsAboveCounts) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/pod/job\n")
      .file("sys/fs/cgroup/cpu.stat", "usage_usec 9\n")
      .file("sys/fs/cgroup/pod/cpu.stat", "nr_throttled 1\nthrottled_usec 2000\n")
      .file("sys/fs/cgroup/pod/job/cpu.stat", "nr_throttled 3\nthrottled_usec 500\n");
  EXPECT_EQ(seen(root), Disturbance{.throttled_ns = 2'500'000});
}

TEST(Disturbance, ThrottledTimeOfVersion1IsInNanoseconds) {
  FakeRoot root;
  root.file("proc/self/cgroup", "2:cpuacct:/\n1:cpu:/job\n0::/\n")
      .file("sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 7\nthrottled_time 1234567\n");
  EXPECT_EQ(seen(root), Disturbance{.throttled_ns = 1'234'567});
}

TEST(Disturbance, FrequencyIsTheMeanOfTheProcessors) {
  FakeRoot root;
  root.file("proc/cpuinfo",
            "processor\t: 0\ncpu MHz\t\t: 2300.5\n\nprocessor\t: 1\n"
            "cpu MHz\t\t: 2400.0\nmodel cpu MHz : 9\n");
  EXPECT_EQ(seen(root), Disturbance{.frequency_khz = 2'350'250});
  root.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n")
      .file("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n");
  EXPECT_EQ(seen(root), Disturbance{.frequency_khz = 2'500'000});
}

TEST(Disturbance, AReaderSeesWhatChanges) {
  FakeRoot root;
  root.file("proc/stat", "cpu  1 2 3 4 5 6 7 100\n").file("proc/cpuinfo", "cpu MHz : 2000\n");
  const auto read = disturbance_reader(root);
  const Disturbance before = read();
  root.file("proc/stat", "cpu  1 2 3 4 5 6 7 103\n").file("proc/cpuinfo", "cpu MHz : 1500\n");
  EXPECT_EQ(disturbance_between(before, read()),
            (Disturbance{.steal_ns = 30'000'000, .frequency_khz = 1'500'000}));
}

}  // namespace
}  // namespace normbench::disturbance_test
