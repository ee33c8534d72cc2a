#include "measure/contender.h"
#include "measure/device_fixture.h"

namespace normbench::device_turn_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

struct DeviceTurnTest : DeviceTest {
  Turn turn_of(const Case& planned, const TurnShape& shape) {
    GroupMemory memory = memory_for({&planned});
    Engine prepared(planned, memory, backends, recorder, clock, random);
    fake->log.clear();
    Turn turn = take_turn(prepared, shape, random);
    log = fake->log;
    return turn;
  }
  TurnShape shape_of(const Case& planned) {
    GroupMemory memory = memory_for({&planned});
    Engine prepared = placed(planned, memory);
    return shape_of_turns(prepared, clock_cost_ns(clock));
  }
  /// Returns a case with a graph that captures both stages.
  Case with_graph() {
    Case planned = make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2)});
    planned.graph = true;
    return planned;
  }
  void take_host_time() {
    device->call_ns = 10'000;
    device->mark_ns = 1'000;
    device->wait_ns = 5'000;
  }

  std::vector<std::string> log;  // log of the last turn
};

TEST_F(DeviceTurnTest, TakesWallAndDeviceTime) {
  take_host_time();
  const Turn turn = turn_of(send_and_cast(), {.iterations = 3});
  // A warm-up iteration takes 10 us for the first launch, 600 us on the device and 5 us for the
  // wait. The turn starts after 33 of them, the least number that takes 20 ms or more. In the turn,
  // 6 launches of 10 us and 2 marks of 1 us are submitted. The first mark is reached 0.5 us after
  // the start, and the first stage is submitted 10.5 us after the mark. From then on, the device
  // works for 3 * 600 us, and the wait takes 5 us more.
  EXPECT_EQ(turn.round, (Round{.wall_ns = 1'816'000,
                               .device_ns = 1'810'500,
                               .submitted_ns = 62'000,
                               .start_ns = 20'295'000,
                               .counters = {}}));
  EXPECT_TRUE(turn.stage_ns.empty());
}

/// `usage_ns` is the time of reading the counters that need system calls. The turn must read them
/// outside of the wall time and of the device time.
TEST_F(DeviceTurnTest, TheDevicesTimeLiesWithinTheWallTime) {
  clock.usage_ns = 50'000;
  for (const Case& planned : {send_and_cast(), with_graph()})
    for (const bool marks : {false, true}) {
      const Turn turn = turn_of(planned, {.iterations = 3, .marks = marks});
      EXPECT_EQ(turn.round.wall_ns, 1'800'000) << planned.variant;
      EXPECT_EQ(turn.round.device_ns, 1'800'000) << planned.variant;
    }
}

TEST_F(DeviceTurnTest, TheClockOverTheTurnIsReadAroundIt) {
  device->on_cycles = [&] {
    clock.time_ns += 50'000;
    return 1'755;
  };
  const Turn turn = turn_of(send_and_cast(), {.iterations = 3});
  EXPECT_EQ(turn.round.turn_clock_mhz, 1'755);
  EXPECT_EQ(turn.round.wall_ns, 1'800'000);
  EXPECT_EQ(turn.round.device_ns, 1'800'000);
}

TEST_F(DeviceTurnTest, WarmsUpLongerAndWaitsOnceAtTheEnd) {
  turn_of(send_and_cast(), {.iterations = 2});
  std::vector<std::string> expected;
  for (int i = 0; i < 34; ++i)  // 34 warm-up iterations of 0.6 ms take 20 ms
    expected.insert(expected.end(), {"launch 0", "launch 1", "drain device"});
  expected.insert(expected.end(), {"mark 0", "launch 0", "launch 1", "launch 0", "launch 1",
                                   "mark 1", "drain device"});
  EXPECT_EQ(log, expected);
}

TEST_F(DeviceTurnTest, StagesTakeDeviceTimeAndTheHostsTimeInTheirCalls) {
  take_host_time();
  const Turn turn = turn_of(send_and_cast(), {.iterations = 2, .marks = true});
  // The first mark is reached 10.5 us before the first stage is submitted, and this time counts for
  // the first stage. Later work starts without a gap, because it already waits in the queue.
  EXPECT_THAT(turn.stage_ns, ElementsAre(610'500, 600'000));
  EXPECT_THAT(turn.calls_ns, ElementsAre(20'000, 20'000));
}

TEST_F(DeviceTurnTest, WaitingForTheDeviceIsNoPartOfAStageOnTheCpu) {
  take_host_time();
  const Case planned = make_case("cast, send", {{.op = Cast{}}, on_device(H2d{}, 1)});
  const Turn turn = turn_of(planned, {.iterations = 2, .marks = true});
  EXPECT_THAT(log, testing::Contains(HasSubstr("wait ")));
  EXPECT_THAT(turn.stage_ns, ElementsAre(2'000'000, 621'000));
  EXPECT_EQ(turn.calls_ns[1], 20'000);
}

TEST_F(DeviceTurnTest, GraphsAreCapturedBeforeTheTurnAndDroppedAfter) {
  device->graph_ns = 5'000'000;
  const Turn turn = turn_of(with_graph(), {.iterations = 3});
  EXPECT_EQ(turn.round.wall_ns, 1'800'000);
  EXPECT_EQ(turn.round.device_ns, 1'800'000);
  const auto capture = std::ranges::find(log, "begin capture");
  EXPECT_THAT(std::vector(capture, log.end()),
              ElementsAre("begin capture", "capture 1", "capture 2", "end capture",
                          "launch graph of 2", "drain device",  //
                          "mark 0", "launch graph of 2", "launch graph of 2", "launch graph of 2",
                          "mark 1", "drain device"));
}

TEST_F(DeviceTurnTest, CapturesAsManyGraphsAsTheTurnHasSlots) {
  plan.measure.cache = Cache::Cold;
  cache_bytes = 100;
  const Case planned = with_graph();
  ASSERT_EQ(memory_for({&planned}).inputs(planned).count, 3u);  // three source copies
  turn_of(planned, {.iterations = 1});
  EXPECT_EQ(std::ranges::count(log, "begin capture"), 1);
  turn_of(planned, {.iterations = 9});
  EXPECT_EQ(std::ranges::count(log, "begin capture"), 3);
}

TEST_F(DeviceTurnTest, MarkedTurnsRunWithoutGraphs) {
  const Turn turn = turn_of(with_graph(), {.iterations = 2, .marks = true});
  EXPECT_THAT(log, Each(testing::Not(HasSubstr("graph"))));
  EXPECT_THAT(turn.stage_ns, ElementsAre(600'000, 600'000));
}

TEST_F(DeviceTurnTest, ShortIterationsAreTimedInALine) {
  for (FakeRow& row : device->rows) row.cost_ns = 5'000;
  device->call_ns = 1'000;
  device->wait_ns = 20'000;
  // A turn must take at least 1 ms. One iteration alone takes 31 us. But in a burst of 100
  // iterations, an iteration takes 10.21 us, so a turn needs 98 iterations.
  EXPECT_EQ(shape_of(send_and_cast()).iterations, 98);
  device->graph_ns = 5'000'000;
  EXPECT_EQ(shape_of(with_graph()).iterations, 98);
}

TEST_F(DeviceTurnTest, LongIterationsAreTheirOwnTurn) {
  device->rows[0].cost_ns = 700'000;
  EXPECT_EQ(shape_of(send_and_cast()).iterations, 1);
}

TEST_F(DeviceTurnTest, MarksOnlyWhereTheyCostUnderHalfAPercent) {
  device->mark_ns = 700;  // four marks take 2.8 us, less than 0.5 % of 600 us
  EXPECT_TRUE(shape_of(send_and_cast()).marks);
  EXPECT_FALSE(shape_of(with_graph()).marks);
  device->mark_ns = 800;
  EXPECT_FALSE(shape_of(send_and_cast()).marks);
}

}  // namespace
}  // namespace normbench::device_turn_test
