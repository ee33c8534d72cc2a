#include "measure/contender.h"
#include "measure/device_fixture.h"

namespace normbench::graph_turn_test {
namespace {

using testing::ElementsAre;

/// Turns of a case whose only stage is launched as a graph. Successive iterations use three slots,
/// one after another. A slot is one copy of the source with one set of buffers.
struct GpuDayGraphs : DeviceTest {
  GpuDayGraphs() {
    plan.measure.cache = Cache::Cold;
    cache_bytes = 100;
    planned.graph = true;
    device->rows[1].then = [&](const FakeCall& call) { read.push_back(call.in[0].data); };
  }

  /// Returns the log of a turn from its first capture to its end.
  std::vector<std::string> turn(GroupMemory& memory, std::int64_t iterations) {
    Engine prepared(planned, memory, backends, recorder, clock, random);
    fake->log.clear();
    read.clear();
    take_turn(prepared, {.iterations = iterations}, random);
    const auto first = std::ranges::find(fake->log, "begin capture");
    return {first, fake->log.end()};
  }
  /// Returns, for each of the last `count` iterations, the index of the source copy that it read.
  std::vector<std::ptrdiff_t> last_copies(GroupMemory& memory, std::size_t count) {
    std::vector<std::ptrdiff_t> copies;
    for (std::size_t i = read.size() - count; i < read.size(); ++i)
      copies.push_back((read[i] - memory.inputs(planned).first) / 128);
    return copies;
  }

  Case planned = make_case("graph", {on_device(H2d{}, 1)});
  std::vector<std::byte*> read;  // the address that each iteration read
};

TEST_F(GpuDayGraphs, EachIsLaunchedOncePerSlotBeforeItIsTimed) {
  GroupMemory memory = memory_for({&planned});
  ASSERT_EQ(memory.inputs(planned).count, 3u);
  ASSERT_EQ(memory.sets(Memory::Device), 3u);
  const auto log = turn(memory, 4);
  const auto mark = std::ranges::find(log, "mark 0");
  EXPECT_EQ(std::count(log.begin(), mark, "end capture"), 3);
  EXPECT_EQ(std::count(log.begin(), mark, "launch graph of 1"), 3);
  EXPECT_EQ(*std::prev(mark), "drain device");
  EXPECT_THAT(std::vector(mark, log.end()),
              ElementsAre("mark 0", "launch graph of 1", "launch graph of 1", "launch graph of 1",
                          "launch graph of 1", "mark 1", "drain device"));
}

TEST_F(GpuDayGraphs, OfAShortTurnAreItsOwnAndItsBuffersStayCold) {
  GroupMemory memory = memory_for({&planned});
  EXPECT_THAT(turn(memory, 1),
              ElementsAre("begin capture", "capture 1", "end capture", "launch graph of 1",
                          "launch 1", "launch 1", "drain device",  // warm-up on the other slots
                          "mark 0", "launch graph of 1", "mark 1", "drain device"));
  const auto copies = last_copies(memory, 4);
  EXPECT_EQ(copies[0], copies[3]);
  EXPECT_NE(copies[1], copies[3]);
  EXPECT_NE(copies[2], copies[3]);
  EXPECT_NE(copies[1], copies[2]);
}

TEST_F(GpuDayGraphs, AreLaunchedAgainAfterEachPlacement) {
  GroupMemory memory = memory_for({&planned});
  Engine prepared(planned, memory, backends, recorder, clock, random);
  for (int i = 0; i < 3; ++i) {
    fake->log.clear();
    take_turn(prepared, {.iterations = 3}, random);
    EXPECT_EQ(std::ranges::count(fake->log, "launch graph of 1"), 3 + 3);
  }
}

TEST_F(GpuDayGraphs, HotOnesAreLaunchedOnce) {
  plan.measure.cache = Cache::Hot;
  GroupMemory memory = memory_for({&planned});
  EXPECT_THAT(
      turn(memory, 2),
      ElementsAre("begin capture", "capture 1", "end capture", "launch graph of 1", "drain device",
                  "mark 0", "launch graph of 1", "launch graph of 1", "mark 1", "drain device"));
}

}  // namespace
}  // namespace normbench::graph_turn_test
