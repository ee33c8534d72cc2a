#include "machine/process_limits.h"

#include <gtest/gtest.h>

#include "machine/fake_root.h"

namespace normbench::process_limits_test {
namespace {

constexpr std::int64_t GiB = std::int64_t{1} << 30;

CgroupLimits limits(std::optional<double> cpus, std::optional<std::int64_t> memory) {
  return {.cpus = cpus, .memory_bytes = memory};
}

TEST(Cgroup, OfNothingHasNoLimits) {
  FakeRoot root;
  EXPECT_EQ(read_cgroup_limits(root), CgroupLimits{});
  root.file("proc/self/cgroup", "nonsense\n0::\n");
  EXPECT_EQ(read_cgroup_limits(root), CgroupLimits{});
}

TEST(Cgroup, Version2IsRead) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/cpu.max", "150000 100000\n")
      .file("sys/fs/cgroup/memory.max", "2147483648\n");
  EXPECT_EQ(read_cgroup_limits(root), limits(1.5, 2 * GiB));
  root.file("sys/fs/cgroup/cpu.max", "max 100000\n").file("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(read_cgroup_limits(root), CgroupLimits{});
  root.file("sys/fs/cgroup/cpu.max", "").file("sys/fs/cgroup/memory.max", "");
  EXPECT_EQ(read_cgroup_limits(root), CgroupLimits{});
}

TEST(Cgroup, ATighterLimitAboveCounts) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/pod/job\n")
      .file("sys/fs/cgroup/pod/cpu.max", "200000 100000\n")
      .file("sys/fs/cgroup/pod/memory.max", "max\n")
      .file("sys/fs/cgroup/pod/job/cpu.max", "800000 100000\n")
      .file("sys/fs/cgroup/pod/job/memory.max", "1073741824\n");
  EXPECT_EQ(read_cgroup_limits(root), limits(2, GiB));
}

TEST(Cgroup, APathOfTheHostFallsBackToTheMount) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/../../docker/abc\n")
      .file("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(read_cgroup_limits(root), limits(0.5, {}));
}

TEST(Cgroup, Version1IsRead) {
  FakeRoot root;
  root.file("proc/self/cgroup", "9:name=systemd:/\n4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n")
      .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n")
      .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n")
      .file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(read_cgroup_limits(root), limits(3, GiB));
}

TEST(Cgroup, Version1WithoutLimitsHasNone) {
  FakeRoot root;
  root.file("proc/self/cgroup", "4:memory:/\n1:cpu:/\n")
      .file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(read_cgroup_limits(root), CgroupLimits{});
}

TEST(Cgroup, AMixedMachineHasBothVersions) {
  FakeRoot root;
  root.file("proc/self/cgroup", "4:memory:/\n0::/job\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n")
      .file("sys/fs/cgroup/unified/job/cpu.max", "100000 50000\n");
  EXPECT_EQ(read_cgroup_limits(root), limits(2, GiB));
}

TEST(Cgroup, FoldersGoUpToTheMount) {
  FakeRoot root;
  root.file("proc/self/cgroup", "4:memory:/a/b\n0::/c\n");
  const auto mount = static_cast<const std::filesystem::path&>(root) / "sys/fs/cgroup";
  EXPECT_EQ(cgroup_folders(root), (std::vector<CgroupFolder>{{mount / "memory" / "a/b", 1},
                                                             {mount / "memory" / "a", 1},
                                                             {mount / "memory" / "", 1},
                                                             {mount / "c", 2},
                                                             {mount / "", 2},
                                                             {mount / "unified" / "c", 2},
                                                             {mount / "unified" / "", 2}}));
}

TEST(CgroupMemory, IsTheLeastThatAnyGroupStillAllows) {
  FakeRoot root;
  EXPECT_EQ(free_cgroup_memory(root), std::nullopt);
  root.file("proc/self/cgroup", "0::/pod/job\n")
      .file("sys/fs/cgroup/pod/memory.max", "1000\n")
      .file("sys/fs/cgroup/pod/memory.current", "900\n")
      .file("sys/fs/cgroup/pod/job/memory.max", "500\n")
      .file("sys/fs/cgroup/pod/job/memory.current", "300\n");
  EXPECT_EQ(free_cgroup_memory(root), 100);
  root.file("sys/fs/cgroup/pod/memory.max", "max\n");
  EXPECT_EQ(free_cgroup_memory(root), 200);
  root.file("sys/fs/cgroup/pod/job/memory.current", "600\n");
  EXPECT_EQ(free_cgroup_memory(root), 0);
}

TEST(CgroupMemory, CachedFilesAreNotUsed) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/memory.max", "1000\n")
      .file("sys/fs/cgroup/memory.current", "900\n")
      .file("sys/fs/cgroup/memory.stat",
            "anon 400\nfile 500\ninactive_file 200\nactive_file 150\nshmem 150\n");
  EXPECT_EQ(free_cgroup_memory(root), 450);
  // memory.current is read before memory.stat, so it can be smaller than the size of the cached
  // files in memory.stat (350 here). No memory then counts as used, and the whole limit is free.
  root.file("sys/fs/cgroup/memory.current", "300\n");
  EXPECT_EQ(free_cgroup_memory(root), 1000);
}

TEST(CgroupMemory, Version1IsRead) {
  FakeRoot root;
  root.file("proc/self/cgroup", "4:memory:/job\n")
      .file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n")
      .file("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "900\n")
      .file("sys/fs/cgroup/memory/job/memory.stat",
            "inactive_file 7\ntotal_inactive_file 200\ntotal_active_file 100\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .file("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
  EXPECT_EQ(free_cgroup_memory(root), 400);
}

/// The available memory is 10,000,000 KiB, which is 10.24 GB.
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
  EXPECT_EQ(free.notes.host, "10.2 GB free in the machine, of which 512 MB are kept back");
}

TEST(FreeMemory, ATighterContainerCounts) {
  FakeRoot root;
  root.file("proc/meminfo", meminfo)
      .file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/memory.max", "4000000000\n")
      .file("sys/fs/cgroup/memory.current", "1000000000\n");
  const FreeMemory free = free_memory({}, root);
  // The margin is 5 % of the free memory, but at least 256 MiB. 5 % are 150 MB here, so the margin
  // is 256 MiB.
  EXPECT_EQ(free.bytes, (Sides{.host = 3'000'000'000 - (256 << 20)}));
  EXPECT_EQ(free.notes.host, "3.00 GB free in the container, of which 268 MB are kept back");
  root.file("sys/fs/cgroup/memory.max", "40000000000\n");
  EXPECT_EQ(free_memory({}, root).notes.host, "10.2 GB free in the machine, of which 512 MB are kept back");
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
  EXPECT_EQ(free.notes.device, "60.0 GB free on the GPU, of which 3.00 GB are kept back");
}

}  // namespace
}  // namespace normbench::process_limits_test
