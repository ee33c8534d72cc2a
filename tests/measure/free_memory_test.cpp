#include "measure/free_memory.h"

#include <gtest/gtest.h>

#include "measure/fake_root.h"

namespace normbench {
namespace {

/// A GPU that says how much is free, and nothing else.
class FreeGpu final : public Backend {
 public:
  FreeGpu(Json facts, std::optional<std::string> unavailable)
      : facts_(std::move(facts)), unavailable_(std::move(unavailable)) {}

  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return unavailable_; }
  std::span<const Kernel> kernels() const override { return {}; }
  std::unique_ptr<Queue> make_queue(int, Recorder*) override { return nullptr; }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t) override { return nullptr; }
  Json describe() override { return facts_; }

 private:
  Json facts_;
  std::optional<std::string> unavailable_;
};

Backends with_gpu(Json facts, std::optional<std::string> unavailable = {}) {
  Backends backends;
  backends.list.push_back(std::make_unique<FreeGpu>(std::move(facts), std::move(unavailable)));
  return backends;
}

/// 10.24 GB available.
constexpr const char* meminfo = "MemTotal: 20000000 kB\nMemAvailable: 10000000 kB\n";

TEST(FreeMemory, OfNothingIsUnknown) {
  FakeRoot root;
  const FreeMemory free = free_memory(Backends{}, root);
  EXPECT_EQ(free.bytes, Sides{});
  EXPECT_EQ(free.notes.host + free.notes.device, "");
}

TEST(FreeMemory, IsWhatTheMachineHasLessAMargin) {
  FakeRoot root;
  root.file("proc/meminfo", meminfo);
  const FreeMemory free = free_memory(Backends{}, root);
  EXPECT_EQ(free.bytes, (Sides{.host = 10'240'000'000 - 512'000'000}));
  EXPECT_EQ(free.notes.host, "10.2 GB left in the machine, 512 MB kept back");
}

TEST(FreeMemory, ATighterContainerCounts) {
  FakeRoot root;
  root.file("proc/meminfo", meminfo)
      .file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/memory.max", "4000000000\n")
      .file("sys/fs/cgroup/memory.current", "1000000000\n");
  const FreeMemory free = free_memory(Backends{}, root);
  // 5 % would be 150 MB.
  EXPECT_EQ(free.bytes, (Sides{.host = 3'000'000'000 - (256 << 20)}));
  EXPECT_EQ(free.notes.host, "3.00 GB left in the container, 268 MB kept back");
  root.file("sys/fs/cgroup/memory.max", "40000000000\n");
  EXPECT_EQ(free_memory(Backends{}, root).notes.host,
            "10.2 GB left in the machine, 512 MB kept back");
}

TEST(FreeMemory, AFullContainerIsKnownToBe) {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/\n")
      .file("sys/fs/cgroup/memory.max", "100000000\n")
      .file("sys/fs/cgroup/memory.current", "150000000\n");
  EXPECT_EQ(free_memory(Backends{}, root).bytes, (Sides{.host = 1}));
}

TEST(FreeMemory, OfTheGpuIsWhatItSays) {
  FakeRoot root;
  const FreeMemory free = free_memory(with_gpu({{"free_memory_bytes", 60'000'000'000}}), root);
  EXPECT_EQ(free.bytes, (Sides{.device = 57'000'000'000}));
  EXPECT_EQ(free.notes.device, "60.0 GB left on the GPU, 3.00 GB kept back");
  EXPECT_EQ(free_memory(with_gpu({{"name", "old"}}), root).bytes, Sides{});
  EXPECT_EQ(free_memory(with_gpu({{"free_memory_bytes", 6}}, "no driver"), root).bytes, Sides{});
}

}  // namespace
}  // namespace normbench
