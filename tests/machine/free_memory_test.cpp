#include "machine/free_memory.h"

#include <gtest/gtest.h>

#include "machine/fake_root.h"

namespace normbench::free_memory_test {
namespace {

/// 10.24 GB available.
constexpr const char* meminfo = "MemTotal: 20000000 kB\nMemAvailable: 10000000 kB\n";

TEST(FreeMemory, OfNothingIsUnknown) {
  FakeRoot root;
  const FreeMemory free = free_memory({}, root);
  EXPECT_EQ(free.bytes, Sides{});
  EXPECT_EQ(free.notes.host + free.notes.device, "");
}

TEST(FreeMemory, IsWhatTheMachineHasLessAMargin) {
  FakeRoot root;
  root.file("proc/meminfo", meminfo);
  const FreeMemory free = free_memory({}, root);
  EXPECT_EQ(free.bytes, (Sides{.host = 10'240'000'000 - 512'000'000}));
  EXPECT_EQ(free.notes.host, "10.2 GB left in the machine, 512 MB kept back");
}

TEST(FreeMemory, ATighterContainerCounts) {
  FakeRoot root;
  root.file("proc/meminfo", meminfo)
      .file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/memory.max", "4000000000\n")
      .file("sys/fs/cgroup/memory.current", "1000000000\n");
  const FreeMemory free = free_memory({}, root);
  // 5 % would be 150 MB.
  EXPECT_EQ(free.bytes, (Sides{.host = 3'000'000'000 - (256 << 20)}));
  EXPECT_EQ(free.notes.host, "3.00 GB left in the container, 268 MB kept back");
  root.file("sys/fs/cgroup/memory.max", "40000000000\n");
  EXPECT_EQ(free_memory({}, root).notes.host,
            "10.2 GB left in the machine, 512 MB kept back");
}

TEST(FreeMemory, AFullContainerIsKnownToBe) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/memory.max", "100000000\n")
      .file("sys/fs/cgroup/memory.current", "150000000\n");
  EXPECT_EQ(free_memory({}, root).bytes, (Sides{.host = 1}));
}

TEST(FreeMemory, OfTheGpuIsWhatItSays) {
  const FakeRoot root;
  const FreeMemory free = free_memory(60'000'000'000, root);
  EXPECT_EQ(free.bytes, (Sides{.device = 57'000'000'000}));
  EXPECT_EQ(free.notes.device, "60.0 GB left on the GPU, 3.00 GB kept back");
}

}  // namespace
}  // namespace normbench::free_memory_test
