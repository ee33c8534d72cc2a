#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "measure/device_fixture.h"
#include "measure/page_touch.h"

namespace normbench::numa_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t page = 4096, block = std::size_t{2} << 20;
constexpr int first_node = 0, second_node = 1;

/// Two sockets of two cores each.
const std::vector<int> two_sockets{first_node, first_node, second_node, second_node};

TEST(GpuDayNuma, BlocksOfAnArenaGoRoundTheNodesAndTheirThreads) {
  const TouchPlan plan = touched_in_turn(two_sockets);
  EXPECT_EQ(plan.threads, 4);
  std::vector<int> ranks;
  for (std::size_t i = 0; i < 8; ++i) ranks.push_back(plan.rank(nullptr, i * block + page));
  EXPECT_THAT(ranks, ElementsAre(0, 2, 1, 3, 0, 2, 1, 3));
  // Wherever a buffer of some blocks lies, both nodes hold half of it.
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
  EXPECT_EQ(plan.rank(nullptr, 100 * page), 3);  // between the copies
}

TEST(GpuDayNuma, EveryPageIsTouchedOnceByItsThread) {
  std::vector<std::byte> memory(5 * block);
  std::mutex mutex;
  std::map<const std::byte*, int> touched;
  TouchPlan plan = touched_in_turn(two_sockets);
  plan.on_touch = [&](const std::byte* at, int rank) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(touched.emplace(at, rank).second);
  };
  touch_pages(memory.data(), memory.size(), plan);
  EXPECT_EQ(touched.size(), memory.size() / page);
  for (const auto& [at, rank] : touched) {
    EXPECT_EQ(*at, std::byte{1});
    EXPECT_EQ(rank, plan.rank(memory.data(), static_cast<std::size_t>(at - memory.data())));
  }
}

/// Groups of cases on 48 kB of source, with the memory of a machine that is made up.
struct GpuDayHostMemory : DeviceTest {
  GpuDayHostMemory() { source.shape = {.n = 4, .c = 3, .h = 64, .w = 64}; }

  Case on_four_threads() {
    Case work = fake_case(*fake, "CPU", source, {{.op = Cast{}}});
    work.threads = 4;
    return work;
  }
  Case sent() {
    return fake_case(*fake, "send", source, {on_device(H2d{}, 0), on_device(Cast{}, 1)});
  }
  GroupMemory memory_of(const std::vector<const Case*>& cases, HostNodes nodes) {
    nodes.near = [this](int node, const std::function<void()>& work) {
      near.push_back(node);
      work();
      return std::string();
    };
    nodes.on_touch = [this](const std::byte* at, int rank) {
      const std::lock_guard lock(mutex);
      touched[at] = rank;
    };
    return GroupMemory(cases, plan.measure, backends, cache_bytes, std::move(nodes));
  }
  /// Who touched the pages of a source.
  std::vector<int> touched_source(GroupMemory& memory, const Case& work) {
    const std::byte* const first = memory.source(work).first;
    std::vector<int> ranks;
    for (const auto& [at, rank] : touched)
      if (at >= first && at < first + source.desc().bytes()) ranks.push_back(rank);
    return ranks;
  }

  Source source = small_source();
  std::mutex mutex;
  std::map<const std::byte*, int> touched;
  std::vector<int> near;
};

TEST_F(GpuDayHostMemory, WhatIsSentIsNearTheGpuAndTheRestWithTheThreadsThatUseIt) {
  const Case cpu = on_four_threads(), send = sent();
  GroupMemory memory = memory_of({&cpu, &send}, {.link = second_node, .of_team = two_sockets});
  EXPECT_THAT(near, ElementsAre(second_node));  // the source that is sent, alone
  EXPECT_NE(memory.source(cpu).first, memory.source(send).first);
  const auto read = touched_source(memory, cpu);
  EXPECT_THAT(read, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3));
  EXPECT_THAT(touched_source(memory, send), Each(0));
  EXPECT_EQ(touched.count(memory.arena(Memory::Pageable).data()), 1u);
}

TEST_F(GpuDayHostMemory, WhatComesBackIsNearTheGpuToo) {
  const Case back =
      fake_case(*fake, "back", source,
                {{.op = Cast{}},
                 on_device(H2d{}, 0),
                 {.op = D2h{}, .row = 0, .backend = device, .memory = Memory::Pageable}});
  const std::vector<Slot> slots = storage_of(back);
  const std::vector<bool> cross = cross_link(back, slots);
  EXPECT_FALSE(cross[0]);  // the source is cast on the CPU, …
  EXPECT_TRUE(cross[1]);   // … and what that gives is sent
  EXPECT_FALSE(cross[2]);  // device memory
  EXPECT_TRUE(cross[3]);
  GroupMemory memory = memory_of({&back}, {.link = first_node, .of_team = {}});
  EXPECT_THAT(near, ElementsAre(first_node));  // the arena of both
  EXPECT_NO_THROW(memory.arena(Memory::Pageable, true));
}

TEST_F(GpuDayHostMemory, PinningReadsOnTheHost) {
  const Case pin = fake_case(*fake, "pin", source, {on_device(Pin{}, 0), on_device(H2d{}, 1)});
  const std::vector<bool> cross = cross_link(pin, storage_of(pin));
  EXPECT_FALSE(cross[0]);
  EXPECT_TRUE(cross[1]);
  memory_of({&pin}, {.link = second_node, .of_team = {}});
  EXPECT_THAT(near, IsEmpty());  // page-locked memory is placed by the device's backend
}

TEST_F(GpuDayHostMemory, OneNodeIsAsItWas) {
  const Case cpu = on_four_threads(), send = sent();
  for (const std::vector<int>& nodes : {std::vector<int>{}, std::vector<int>(4, first_node)}) {
    touched.clear();
    GroupMemory memory = memory_of({&cpu, &send}, {.link = {}, .of_team = nodes});
    EXPECT_EQ(memory.source(cpu).first, memory.source(send).first);
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
  add_group({std::move(both), on_four_threads(), sent()});
  const Results results = run_plan();
  for (const CaseResult& result : results.groups[0].cases) {
    EXPECT_EQ(result.status, Status::Ok) << result.reason;
    EXPECT_TRUE(result.check.ok);
  }
}

}  // namespace
}  // namespace normbench::numa_test
