#include "measure/device_fixture.h"

namespace normbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Times = std::vector<std::int64_t>;

struct DeviceGroupTest : DeviceTest {
  DeviceGroupTest() { plan.measure.max_seconds_per_group = 0; }

  /// The case alone in a group.
  CaseResult measured(const Case& work) {
    add_group({work});
    return run_plan().groups[0].cases[0];
  }
};

TEST_F(DeviceGroupTest, RoundsHaveDeviceTimeAndStagesHaveBoth) {
  device->call_ns = 10'000;
  const CaseResult result = measured(send_and_cast());
  EXPECT_EQ(result.status, Status::Ok);
  EXPECT_TRUE(result.check.ok);
  EXPECT_EQ(result.iterations, 2);
  ASSERT_EQ(result.rounds.size(), 12u);
  for (const Round& round : result.rounds) {
    EXPECT_EQ(round.wall_ns, 1'210'000);
    EXPECT_EQ(round.device_ns, 1'210'000);
  }
  EXPECT_EQ(result.stages[0].rounds_ns, Times(12, 610'000));
  EXPECT_EQ(result.stages[1].rounds_ns, Times(12, 600'000));
  EXPECT_EQ(result.stages[0].calls_ns, Times(12, 20'000));
  EXPECT_EQ(result.stages[1].calls_ns, Times(12, 20'000));
  EXPECT_FALSE(result.stages[0].staged || result.stages[1].staged);
}

TEST_F(DeviceGroupTest, AStageAloneIsTimedBetweenMarksToo) {
  device->mark_ns = 2'000;
  const CaseResult result = measured(make_case("send", {on_device(H2d{}, 0)}));
  EXPECT_EQ(result.iterations, 4);
  EXPECT_EQ(result.stages[0].rounds_ns, Times(12, 1'201'000));
  EXPECT_EQ(result.stages[0].calls_ns, Times(12, 0));
  EXPECT_TRUE(result.stages[0].staged);
}

TEST_F(DeviceGroupTest, StagesOfAGraphAreTimedWithoutIt) {
  Case work = make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2)});
  work.graph = true;
  const CaseResult result = measured(work);
  EXPECT_EQ(result.status, Status::Ok);
  EXPECT_TRUE(result.check.ok);
  EXPECT_EQ(result.stages[0].rounds_ns, Times(12, 600'000));
  EXPECT_EQ(result.stages[1].rounds_ns, Times(12, 600'000));
  EXPECT_TRUE(result.stages[0].staged && result.stages[1].staged);
}

TEST_F(DeviceGroupTest, WrongOutputsOnTheDeviceFailTheCase) {
  device->rows[2].compute = false;
  add_group(
      {send_and_cast("right"), make_case("wrong", {on_device(H2d{}, 0), on_device(Cast{}, 2)})});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Ok);
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_THAT(group.cases[1].reason, testing::HasSubstr("wrong output: max error inf"));
  EXPECT_THAT(group.cases[1].stages[0].calls_ns, IsEmpty());
}

TEST_F(DeviceGroupTest, TellsTheDevicesConditionAroundTheRounds) {
  add_group({send_and_cast(), cast_case("on the CPU", 0)});
  add_group({cast_case("on the CPU", 0)});
  Case skipped = send_and_cast("skipped");
  skipped.skip = "no graphs here";
  add_group({cast_case("on the CPU", 0), skipped});
  const std::vector<GroupResult> groups = run_plan().groups;
  EXPECT_EQ(groups[0].condition_before, (Json{{"reading", 1}}));
  EXPECT_EQ(groups[0].condition_after, (Json{{"reading", 2}}));
  for (const int other : {1, 2}) {
    EXPECT_TRUE(groups[other].condition_before.is_null());
    EXPECT_TRUE(groups[other].condition_after.is_null());
  }
  EXPECT_EQ(groups[2].cases[1].reason, "no graphs here");
}

TEST_F(DeviceGroupTest, DeviceTimeDecidesWhenAskedFor) {
  plan.measure.max_seconds_per_group = 3;
  device->rows[1].then = [&](const FakeCall&) {
    clock.time_ns += static_cast<std::int64_t>(random() % 9'000'000);  // the host alone is late
  };
  const auto stop_by = [&](DecidingClock decides) {
    plan.groups.clear();
    plan.measure.clock = decides;
    add_group({send_and_cast("a"), send_and_cast("b")});
    return run_plan().groups[0].stop;
  };
  EXPECT_EQ(stop_by(DecidingClock::Wall), "time");
  EXPECT_EQ(stop_by(DecidingClock::Device), "precision");
}

TEST_F(DeviceGroupTest, WallTimeDecidesWhereThereIsNoDevice) {
  plan.measure.max_seconds_per_group = 5;
  plan.measure.clock = DecidingClock::Device;
  add_group({send_and_cast(), cast_case("on the CPU", 0)});
  EXPECT_EQ(run_plan().groups[0].stop, "precision");
}

struct DeviceProfileTest : DeviceGroupTest {
  DeviceProfileTest() {
    plan.profile = {.wait = 1, .warmup = 1, .active = 2};
    on_profile = [this](ProfileTrace trace) {
      traces.push_back(std::move(trace));
      return std::vector<ProfileRow>{};
    };
    device->call_ns = 10'000;
    device->mark_ns = 1'000;
  }
  /// Names, when each slice starts and ends after its step's start, bytes.
  static std::vector<std::string> slices(const ProfileTrace& trace, const ThreadLog& log) {
    std::vector<std::string> found;
    for (const Slice& slice : log.slices) {
      std::int64_t step_ns = 0;
      for (const ThreadLog& other : trace.threads)
        for (const Slice& step : other.slices)
          if (step.kind == RangeKind::Step && step.start_ns <= slice.start_ns)
            step_ns = step.start_ns;
      found.push_back(fmt::format("{} {} {} {} {}", name_of(slice.place), slice.name,
                                  slice.start_ns - step_ns, slice.end_ns - step_ns, slice.bytes));
    }
    return found;
  }

  std::vector<ProfileTrace> traces;
};

TEST_F(DeviceProfileTest, TheDeviceHasALaneOnTheHostsClock) {
  add_group({send_and_cast()});
  const GroupResult group = run_plan().groups[0];
  const ProfileTrace& trace = traces.at(0);
  ASSERT_EQ(trace.threads.size(), 2u);
  EXPECT_THAT(slices(trace, trace.threads[0]),
              ElementsAre("cpu h2d 0 12000 240", "cpu cast 12000 24000 600",
                          "cpu ProfilerStep#2 0 611000 0",  //
                          "cpu h2d 0 12000 240", "cpu cast 12000 24000 600",
                          "cpu ProfilerStep#3 0 611000 0"));
  EXPECT_EQ(trace.threads[1].name, "CUDA stream, times from events");
  EXPECT_EQ(trace.threads[1].tid, 4194305);
  EXPECT_THAT(slices(trace, trace.threads[1]),
              ElementsAre("cuda h2d 500 311000 240", "cuda cast 311000 611000 600",  //
                          "cuda h2d 500 311000 240", "cuda cast 311000 611000 600"));
  ASSERT_EQ(group.profile.size(), 1u);
  EXPECT_EQ(group.profile[0].steps, 2);
  EXPECT_EQ(group.profile[0].clock_error_ns, 500);  // a mark is called for and waited for in 1 us
}

TEST_F(DeviceProfileTest, AGraphIsOneSliceAndIsCapturedBefore) {
  device->graph_ns = 5'000'000;
  Case work = make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2)});
  work.graph = true;
  add_group({work});
  run_plan();
  const ProfileTrace& trace = traces.at(0);
  EXPECT_THAT(slices(trace, trace.threads.at(0)),
              ElementsAre("cpu graph (h2d, cast) 0 12000 840", "cpu ProfilerStep#2 0 611000 0",
                          "cpu graph (h2d, cast) 0 12000 840", "cpu ProfilerStep#3 0 611000 0"));
  EXPECT_THAT(slices(trace, trace.threads.at(1)),
              ElementsAre("cuda graph (h2d, cast) 500 611000 840",
                          "cuda graph (h2d, cast) 500 611000 840"));
}

TEST_F(DeviceProfileTest, WithoutADeviceThereIsNoLane) {
  add_group({cast_case("on the CPU", 0)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(traces.at(0).threads.size(), 1u);
  EXPECT_EQ(group.profile[0].clock_error_ns, 0);
}

}  // namespace
}  // namespace normbench
