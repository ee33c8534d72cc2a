#include "measure/device_fixture.h"

namespace normbench::device_group_test {
namespace {

using testing::IsEmpty;

using Times = std::vector<std::int64_t>;

struct DeviceGroupTest : DeviceTest {
  DeviceGroupTest() { plan.measure.max_seconds_per_group = 0; }

  /// Measures a group with only this case. Returns the case's result.
  CaseResult measured(const Case& planned) {
    add_group({planned});
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
  Case planned = make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2)});
  planned.graph = true;
  const CaseResult result = measured(planned);
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
  EXPECT_THAT(group.cases[1].reason, testing::HasSubstr("wrong output: error inf"));
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
    clock.time_ns += static_cast<std::int64_t>(random() % 9'000'000);  // delays the host only
  };
  const auto stop_by = [&](DecidingClock decides) {
    plan.groups.clear();
    plan.measure.clock = decides;
    add_group({send_and_cast("a"), send_and_cast("b")});
    return run_plan().groups[0].stop;
  };
  EXPECT_EQ(stop_by(DecidingClock::Wall), Stop::Time);
  EXPECT_EQ(stop_by(DecidingClock::Device), Stop::Precision);
}

TEST_F(DeviceGroupTest, WallTimeDecidesWhereThereIsNoDevice) {
  plan.measure.max_seconds_per_group = 5;
  plan.measure.clock = DecidingClock::Device;
  add_group({send_and_cast(), cast_case("on the CPU", 0)});
  EXPECT_EQ(run_plan().groups[0].stop, Stop::Precision);
}

}  // namespace
}  // namespace normbench::device_group_test
