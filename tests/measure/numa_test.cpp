#include <sys/mman.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "measure/contender.h"
#include "measure/device_fixture.h"
#include "measure/page_touch.h"

namespace normbench::numa_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t page = 4096, block = std::size_t{2} << 20;
constexpr int first_node = 0, second_node = 1;

/// The NUMA node of each of four threads, on two sockets with two cores each.
const std::vector<int> two_sockets{first_node, first_node, second_node, second_node};

TEST(GpuDayNuma, BlocksOfAnArenaGoRoundTheNodesAndTheirThreads) {
  const TouchPlan plan = touched_in_turn(two_sockets);
  EXPECT_EQ(plan.threads, 4);
  std::vector<int> ranks;
  for (std::size_t i = 0; i < 8; ++i) ranks.push_back(plan.rank(nullptr, i * block + page));
  EXPECT_THAT(ranks, ElementsAre(0, 2, 1, 3, 0, 2, 1, 3));
  // A buffer of several blocks has half of its pages on each node, wherever the buffer starts.
  const auto* const anywhere = reinterpret_cast<const std::byte*>(37 * page);
  for (std::size_t begin = 0; begin < 4 * block; begin += 123 * page) {
    std::map<int, int> pages;
    for (std::size_t at = 0; at < 4 * block; at += page)
      ++pages[two_sockets[static_cast<std::size_t>(plan.rank(anywhere, begin + at))]];
    EXPECT_EQ(pages[first_node], pages[second_node]);
  }
}

TEST(GpuDayNuma, ASourceIsTouchedByItsReaders) {
  const std::size_t bytes = 100 * page, stride = 101 * page;
  const TouchPlan plan = touched_by_readers(4, bytes, stride);
  for (const std::size_t copy : {0, 1, 7})
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_EQ(plan.rank(nullptr, copy * stride + i * page), static_cast<int>(i / 25));
  EXPECT_EQ(plan.rank(nullptr, 100 * page), 3);  // a page in the gap between two copies
}

/// Returns which of the pages of this memory are mapped.
std::vector<bool> mapped_pages(std::byte* first, std::size_t bytes) {
  std::vector<unsigned char> seen(bytes / page);
  EXPECT_EQ(mincore(first, bytes, seen.data()), 0);
  std::vector<bool> mapped;
  for (const unsigned char one : seen) mapped.push_back((one & 1) != 0);
  return mapped;
}

TEST(GpuDayNuma, EachThreadTouchesItsPagesAndNoOther) {
  constexpr std::size_t bytes = 64 * page;
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  auto* const memory = static_cast<std::byte*>(mapping);
  madvise(mapping, bytes, MADV_NOHUGEPAGE);  // a huge page would map its neighbours, too
  if (mapped_pages(memory, bytes).front())
    GTEST_SKIP() << "mincore() sees pages that nobody touched";
  std::mutex mutex;
  std::set<std::thread::id> asked;
  const auto rank_of = [](std::size_t at) { return static_cast<int>(at / page % 5); };
  touch_pages(memory, bytes, {.threads = 4, .rank = [&](const std::byte*, std::size_t at) {
                                const std::lock_guard lock(mutex);
                                asked.insert(std::this_thread::get_id());
                                return rank_of(at);
                              }});
  EXPECT_EQ(asked.size(), 4u);
  const std::vector<bool> mapped = mapped_pages(memory, bytes);
  for (std::size_t at = 0; at < bytes; at += page)
    EXPECT_EQ(mapped[at / page], rank_of(at) < 4) << at / page;  // rank 4 has no thread
  touch_pages(memory + 100, bytes - 100, {});
  EXPECT_THAT(mapped_pages(memory, bytes), Each(true));
  munmap(mapping, bytes);
}

/// Groups of cases with a source of 48 KiB, on a fake host with NUMA nodes.
struct GpuDayHostMemory : DeviceTest {
  GpuDayHostMemory() {
    source.shape = {.n = 4, .c = 3, .h = 64, .w = 64};
    bound = 0;
  }

  Case on_four_threads() {
    Case planned = fake_case(*fake, "CPU", source, {{.op = Cast{}}});
    planned.threads = 4;
    return planned;
  }
  Case sent() {
    return near_link(fake_case(*fake, "send", source, {on_device(H2d{}, 0), on_device(Cast{}, 1)}));
  }
  /// Returns the case as it is planned for a host with several NUMA nodes: the buffers that the
  /// device uses lie on its NUMA node.
  static Case near_link(Case planned) {
    planned.near_link = true;
    return planned;
  }
  FakeStage back_to(Memory memory, OutputPolicy output = OutputPolicy::Reuse) {
    return {.op = D2h{}, .output = output, .backend = device, .memory = memory};
  }
  GroupMemory memory_of(const std::vector<const Case*>& cases, HostNodes nodes) {
    nodes.near = [this](int node) {
      near.push_back(node);
      clock.time_ns += 1'000'000;
      ++bound;
      return Bound(this, [](GpuDayHostMemory* test) {
        --test->bound;
        test->clock.time_ns += 1'000'000;
      });
    };
    nodes.touch = [this](std::byte* first, std::size_t bytes, const TouchPlan& touch) {
      for (std::size_t at = 0; at < bytes; at += page)
        touched[first + at] = touch.threads > 1 ? touch.rank(first, at) : 0;
    };
    return GroupMemory(cases, plan.measure, backends, cache_bytes, std::move(nodes));
  }
  /// Returns, for each page of the first copy of the case's source, the rank of the thread that
  /// touched the page.
  std::vector<int> touched_source(GroupMemory& memory, const Case& planned) {
    const std::byte* const first = memory.inputs(planned).first;
    std::vector<int> ranks;
    for (const auto& [at, rank] : touched)
      if (at >= first && at < first + source.desc().bytes()) ranks.push_back(rank);
    return ranks;
  }

  Source source = small_source();
  std::map<const std::byte*, int> touched;
  std::vector<int> near;    // nodes that the thread was bound to, in this order
  static inline int bound;  // number of thread bindings that exist now
};

TEST_F(GpuDayHostMemory, WhatIsSentIsNearTheGpuAndTheRestWithTheThreadsThatUseIt) {
  const Case cpu = on_four_threads(), send = sent();
  GroupMemory memory = memory_of({&cpu, &send}, {.link = second_node, .of_team = two_sockets});
  EXPECT_THAT(near, ElementsAre(second_node));  // bound only for the source that is sent
  EXPECT_NE(memory.inputs(cpu).first, memory.inputs(send).first);
  const auto read = touched_source(memory, cpu);
  EXPECT_THAT(read, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3));
  EXPECT_THAT(touched_source(memory, send), Each(0));
  EXPECT_EQ(touched.count(memory.arena(Memory::Pageable).data()), 1u);
}

TEST_F(GpuDayHostMemory, WhatComesBackIsNearTheGpuToo) {
  const Case back = near_link(fake_case(
      *fake, "back", source, {{.op = Cast{}}, on_device(H2d{}, 0), back_to(Memory::Pageable)}));
  const std::vector<Slot> slots = storage_of(back);
  EXPECT_FALSE(slots[0].near_link);  // the CPU casts the source
  EXPECT_TRUE(slots[1].near_link);   // the output of the cast is sent
  EXPECT_FALSE(slots[2].near_link);  // device memory
  EXPECT_TRUE(slots[3].near_link);
  GroupMemory memory = memory_of({&back}, {.link = first_node, .of_team = {}});
  EXPECT_THAT(near, ElementsAre(first_node));  // bound for the arena of slots 1 and 3
  EXPECT_NO_THROW(memory.arena(Memory::Pageable, true));
}

TEST_F(GpuDayHostMemory, PinningReadsOnTheHost) {
  const Case pin =
      near_link(fake_case(*fake, "pin", source, {on_device(Pin{}, 0), on_device(H2d{}, 1)}));
  for (const Slot& slot : storage_of(pin)) EXPECT_FALSE(slot.near_link);
  memory_of({&pin}, {.link = second_node, .of_team = {}});
  EXPECT_THAT(near, ElementsAre(second_node));  // bound for page-locked memory
}

TEST_F(GpuDayHostMemory, WhatAKernelOfTheDeviceKeepsIsNearTheGpu) {
  static std::vector<int> seen;
  seen.clear();
  const auto watched = [](const Case& planned) {
    Kernel kernel = *planned.stages[0].kernel;
    kernel.prepare = [](const Op&, const Signature&) -> Launch {
      seen.push_back(bound);
      return [](Queue&, std::span<const View>, std::span<const View>, View) {};
    };
    return kernel;
  };
  Case cpu = on_four_threads(), send = sent();
  const Kernel on_cpu = watched(cpu), on_gpu = watched(send);
  cpu.stages[0].kernel = &on_cpu;
  send.stages[0].kernel = &on_gpu;
  GroupMemory memory = memory_of({&cpu, &send}, {.link = second_node, .of_team = two_sockets});
  placed(cpu, memory);
  placed(send, memory);
  EXPECT_THAT(seen, ElementsAre(0, 1));
  EXPECT_EQ(bound, 0);
}

/// Turns (timed iterations) of cases with fresh outputs. Records how many bindings of this thread
/// to a NUMA node exist during each allocation.
struct GpuDayFreshMemory : GpuDayHostMemory {
  GpuDayFreshMemory() {
    // The outputs are so large that each of them is a new mapping of the operating system.
    source.shape = {.n = 1, .c = 1, .h = 4096, .w = 8192};
    for (FakeRow& row : fake->rows) row.compute = false;
    for (FakeRow& row : device->rows) row.compute = false;
    device->rows[0].then = [this](const FakeCall&) { bound_at_work.insert(bound); };
    device->wait_ns = 1'000;
  }
  /// Runs a turn and returns its wall time in ns. `link` is the NUMA node of the device's link.
  /// Records how many bindings of this thread to a node exist at each allocation (`allocations`)
  /// and while row 0 of the device runs (`bound_at_work`).
  std::int64_t turn_ns(const Case& planned, std::optional<int> link) {
    GroupMemory memory = memory_of({&planned}, {.link = link, .of_team = {}});
    Engine prepared = placed(planned, memory);
    near.clear();
    allocations.clear();
    bound_at_work.clear();
    fake->on_allocate = [this](Memory, std::size_t) { allocations.push_back(bound); };
    const Turn turn = take_turn(prepared, {.iterations = 2, .warmup_ns = 0}, random);
    fake->on_allocate = nullptr;
    EXPECT_EQ(bound, 0);
    return turn.round.wall_ns;
  }

  std::vector<int> allocations;  // number of bindings at each allocation of pageable memory
  std::set<int> bound_at_work;   // numbers of bindings while row 0 of the device runs
};

TEST_F(GpuDayFreshMemory, ThatComesBackIsNearTheGpuAndTheClockSeesNoneOfIt) {
  Source there = source;
  there.memory = Memory::Device;
  const Case back =
      near_link(fake_case(*fake, "back", there, {back_to(Memory::Pageable, OutputPolicy::Fresh)}));
  const std::int64_t far_ns = turn_ns(back, {});
  EXPECT_THAT(allocations, ElementsAre(0, 0));
  EXPECT_THAT(near, IsEmpty());
  EXPECT_EQ(turn_ns(back, second_node), far_ns);
  EXPECT_THAT(allocations, ElementsAre(1, 1));
  EXPECT_THAT(near, ElementsAre(second_node));  // bound once per turn
}

TEST_F(GpuDayFreshMemory, ThatIsPageLockedIsNearTheGpuAndTheClockSeesNoneOfIt) {
  const Case pin = near_link(fake_case(
      *fake, "pin", source, {on_device(Pin{}, 0, OutputPolicy::Fresh), on_device(H2d{}, 1)}));
  const std::int64_t far_ns = turn_ns(pin, {});
  EXPECT_THAT(bound_at_work, ElementsAre(0));
  EXPECT_EQ(turn_ns(pin, second_node), far_ns);
  EXPECT_THAT(bound_at_work, ElementsAre(1));
  EXPECT_THAT(near, ElementsAre(second_node));
}

TEST_F(GpuDayFreshMemory, OfTheCpuLiesWithItsThreads) {
  const Case cpu =
      near_link(fake_case(*fake, "cast, pin", source,
                          {{.op = Cast{.to = DType::Float16}, .output = OutputPolicy::Fresh},
                           on_device(Pin{}, 0, OutputPolicy::Fresh)}));
  turn_ns(cpu, second_node);
  EXPECT_THAT(allocations, ElementsAre(0, 0));
  EXPECT_THAT(near, IsEmpty());
}

TEST_F(GpuDayFreshMemory, OfFirstCallsIsNearTheGpuToo) {
  const Case pin =
      near_link(fake_case(*fake, "pin", source, {on_device(Pin{}, 0, OutputPolicy::Fresh)}));
  GroupMemory memory = memory_of({&pin}, {.link = second_node, .of_team = {}});
  CaseContender contender(pin, memory, backends, recorder, clock, random, 8);
  contender.first_call();
  EXPECT_THAT(bound_at_work, ElementsAre(1));
}

TEST_F(GpuDayHostMemory, OneNodeIsAsItWas) {
  const Case cpu = on_four_threads();
  Case send = sent();
  send.near_link = false;
  for (const std::vector<int>& nodes : {std::vector<int>{}, std::vector<int>(4, first_node)}) {
    touched.clear();
    GroupMemory memory = memory_of({&cpu, &send}, {.link = {}, .of_team = nodes});
    EXPECT_EQ(memory.inputs(cpu).first, memory.inputs(send).first);
    for (const auto& [at, rank] : touched) EXPECT_EQ(rank, 0);
    EXPECT_THAT(near, IsEmpty());
  }
}

TEST_F(GpuDayHostMemory, CasesThatUseBothKindsAreRight) {
  device->node = 0;
  plan.measure.max_seconds_per_group = 0;
  Case both = fake_case(*fake, "both", source,
                        {{.op = Cast{}, .row = 0},
                         {.op = Sub{.mean = {1}}, .row = 1},
                         on_device(H2d{}, 0),
                         on_device(Div{.std = {2}}, 2)});
  add_group({near_link(std::move(both)), on_four_threads(), sent()});
  const Results results = run_plan();
  for (const CaseResult& result : results.groups[0].cases) {
    EXPECT_EQ(result.status, Status::Ok) << result.reason;
    EXPECT_TRUE(result.check.ok);
  }
}

}  // namespace
}  // namespace normbench::numa_test
