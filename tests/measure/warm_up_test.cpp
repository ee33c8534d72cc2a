#include <fstream>

#include "measure/device_fixture.h"
#include "measure/measure_group.h"
#include "measure/peer/contender.h"
#include "measure/peer_fixture.h"

namespace normbench::warm_up_test {
namespace {

/// Turns (timed iterations) of 1.2 ms on the device, with iterations of 0.6 ms, and turns of 1 ms
/// on the CPU.
struct GpuDayWarmUp : DeviceTest {
  GpuDayWarmUp() { plan.measure.max_seconds_per_group = 0; }

  GroupResult measured(std::vector<Case> cases) {
    add_group(std::move(cases));
    check = false;  // checks would use the device between turns
    return run_plan().groups[0];
  }
  struct Turn {
    int contender, before;  // contenders of this turn and of the turn before
    std::int64_t start_ns, end_ns;
    std::int64_t gap_ns;  // ns since the end of the turn before
  };
  /// Returns all turns except the first, in order.
  static std::vector<Turn> turns_of(const GroupResult& group) {
    std::vector<Turn> turns;
    int last = -1;
    std::int64_t last_ns = 0;
    for (std::size_t i = 0; i < group.order.size(); ++i)
      for (const int contender : group.order[i]) {
        const Round& round = group.cases[contender].rounds[i];
        const std::int64_t end_ns = round.start_ns + round.wall_ns;
        if (last >= 0)
          turns.push_back({contender, last, round.start_ns, end_ns, round.start_ns - last_ns});
        last = contender;
        last_ns = end_ns;
      }
    return turns;
  }
};

TEST_F(GpuDayWarmUp, ADeviceThatJustWorkedTakesOneIteration) {
  const GroupResult group = measured({send_and_cast("a"), send_and_cast("b")});
  const auto turns = turns_of(group);
  ASSERT_EQ(turns.size(), 23u);
  for (const Turn& turn : turns) EXPECT_EQ(turn.gap_ns, 600'000);
}

TEST_F(GpuDayWarmUp, ADeviceThatWasIdleForAMillisecondTakesTwenty) {
  std::int64_t pause_ns = 999'999;
  observer.on_round = [&](int) { clock.time_ns += pause_ns; };
  for (const Turn& turn : turns_of(measured({send_and_cast("a")})))
    EXPECT_EQ(turn.gap_ns, 600'000 + pause_ns);
  pause_ns = 1'000'000;
  plan.groups.clear();
  for (const Turn& turn : turns_of(measured({send_and_cast("a")})))
    EXPECT_EQ(turn.gap_ns, 34 * 600'000 + pause_ns);
}

TEST_F(GpuDayWarmUp, ATurnOnTheCpuLeavesTheDeviceIdle) {
  const auto turns = turns_of(
      measured({send_and_cast("send"), cast_case("on the CPU", 0), send_and_cast("again")}));
  for (const Turn& turn : turns) {
    if (turn.contender == 1)
      EXPECT_EQ(turn.gap_ns, 1'000'000);  // a warm-up of 1 ms, as without a device
    else
      EXPECT_EQ(turn.gap_ns, turn.before == 1 ? 34 * 600'000 : 600'000);
  }
}

TEST_F(GpuDayWarmUp, TurnsOnTheDeviceShareTheReadingBetweenThem) {
  add_group({send_and_cast("a")});
  std::int64_t readings = 0;
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = *watchdog,
                     .observer = observer,
                     .interrupted = interrupted,
                     .cache_bytes = cache_bytes,
                     .disturbance = [&] { return Disturbance{.steal_ns = 10 * ++readings}; },
                     .on_profile = {},
                     .part = {.check = false}};
  const auto group = measure_group(plan, 0, context, 0);
  EXPECT_EQ(readings, 13);
  for (const Round& round : group->cases[0].rounds) EXPECT_EQ(round.disturbance.steal_ns, 10);
}

TEST_F(GpuDayWarmUp, APeerIsAskedForOneIterationOnADeviceThatJustWorked) {
  const std::string log = testing::TempDir() + "gpu_day_warm_up_log";
  std::filesystem::remove(log);
  Case planned = cast_case("tiny", 0);
  planned.peer = "tiny";
  planned.stages[0].place = Place::Cuda;
  planned.stages[0].kernel = nullptr;
  SystemClock system;
  RunContext context{.backends = backends,
                     .clock = system,
                     .recorder = recorder,
                     .watchdog = *watchdog,
                     .observer = observer,
                     .interrupted = interrupted,
                     .cache_bytes = cache_bytes,
                     .on_profile = {}};
  GroupMemory memory = memory_for({&planned});
  setenv("TINY_PEER_LOG", log.c_str(), 1);
  {
    PeerContender peer(planned, tiny("right"), {}, memory, context);
    unsetenv("TINY_PEER_LOG");
    peer.prepare();
    peer.take_turn({.iterations = 2}, random);
    peer.take_turn({.iterations = 2, .device_awake = true}, random);
  }
  std::ifstream in(log);
  std::vector<Json> asked;
  for (std::string line; std::getline(in, line);)
    if (Json said = Json::parse(line); said.at("type") == "run") asked.push_back(std::move(said));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].at("warmup_ns"), 20'000'000);
  EXPECT_EQ(asked[1].at("warmup_ns"), 1);
}

}  // namespace
}  // namespace normbench::warm_up_test
