#include "measure/device_fixture.h"

namespace normbench::device_state_test {
namespace {

/// Turns (timed iterations) of 1.2 ms on a device. Each reading of the device's state takes
/// `reading_ns`.
struct GpuDayDeviceState : DeviceTest {
  GpuDayDeviceState() {
    plan.measure.max_seconds_per_group = 0;
    device->on_state = [&] {
      clock.time_ns += reading_ns;
      return DeviceState{
          .sm_clock_mhz = 1'000 + ++readings, .throttle_bits = 4, .temperature_c = 41};
    };
  }
  GroupResult measured(std::vector<Case> cases) {
    add_group(std::move(cases));
    return run_plan().groups[0];
  }

  std::int64_t reading_ns = 300'000;
  int readings = 0;
};

TEST_F(GpuDayDeviceState, IsReadAfterEveryTurnAndNoPartOfIt) {
  const GroupResult group = measured({send_and_cast()});
  const auto& rounds = group.cases[0].rounds;
  ASSERT_EQ(rounds.size(), 12u);
  EXPECT_EQ(readings, 12);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    EXPECT_EQ(rounds[i].wall_ns, 1'200'000);
    EXPECT_EQ(rounds[i].device_ns, 1'200'000);
    EXPECT_EQ(rounds[i].state, (DeviceState{1'001 + static_cast<std::int64_t>(i), 4, 41}));
  }
  // Between two turns are a reading of 0.3 ms and one warm-up iteration of 0.6 ms. One iteration is
  // enough, because the device does not count as idle after a quick reading.
  EXPECT_EQ(rounds[1].start_ns - rounds[0].start_ns, 1'200'000 + 300'000 + 600'000);
  EXPECT_EQ(group.slowest_state_ns, 300'000);
}

TEST_F(GpuDayDeviceState, IsReadSeldomWhereThatIsSlow) {
  reading_ns = 5'000'000;
  plan.measure.max_seconds_per_group = 1.2;
  plan.measure.precision = 1e-9;
  device->rows[1].then = [&](const FakeCall&) {
    clock.time_ns += static_cast<std::int64_t>(random() % 4'000'000);  // noise keeps intervals wide
  };
  const GroupResult group = measured({send_and_cast()});
  EXPECT_EQ(group.slowest_state_ns, 5'000'000);
  std::vector<std::int64_t> read_ns;
  for (const Round& round : group.cases[0].rounds)
    if (round.state != DeviceState{}) read_ns.push_back(round.start_ns);
  ASSERT_EQ(read_ns.size(), 3u);
  EXPECT_GT(group.cases[0].rounds.size(), 50u);
  for (std::size_t i = 1; i < read_ns.size(); ++i) {
    EXPECT_GT(read_ns[i] - read_ns[i - 1], 480'000'000);  // about 100 times the 5 ms of a reading
    EXPECT_LT(read_ns[i] - read_ns[i - 1], 550'000'000);
  }
}

TEST_F(GpuDayDeviceState, IsNotThereWithoutADevice) {
  const GroupResult group = measured({send_and_cast(), cast_case("on the CPU", 0)});
  EXPECT_EQ(readings, 12);
  const Json cases = to_json(group)["cases"];
  for (const char* column : {"sm_clock_mhz", "throttle_bits", "temperature_c"}) {
    EXPECT_TRUE(cases[0]["rounds"].contains(column));
    EXPECT_FALSE(cases[1]["rounds"].contains(column));
  }
  plan.groups.clear();
  const Json alone = to_json(measured({cast_case("on the CPU", 0)}));
  EXPECT_FALSE(alone["cases"][0]["rounds"].contains("sm_clock_mhz"));
  EXPECT_FALSE(alone.contains("slowest_state_ns"));
}

TEST_F(GpuDayDeviceState, ThatCannotBeReadLeavesNoColumn) {
  device->on_state = nullptr;
  const Json group = to_json(measured({send_and_cast()}));
  EXPECT_FALSE(group["cases"][0]["rounds"].contains("sm_clock_mhz"));
  EXPECT_FALSE(group.contains("slowest_state_ns"));
}

}  // namespace
}  // namespace normbench::device_state_test
