#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::device_states_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;
using testing::Pair;

/// A copy of the document examples::gpu(). After every turn (the work of one case or limit in one
/// round), the state of the GPU is 1,980 MHz, 40 C and not throttled.
struct GpuDayDeviceStates : testing::Test {
  GpuDayDeviceStates() {
    for (auto* list : {&group().cases, &group().limits})
      for (CaseResult& result : *list)
        for (Round& round : result.rounds)
          round.state = {.sm_clock_mhz = 1'980, .throttle_bits = 0, .temperature_c = 40};
  }
  GroupResult& group() { return results.groups[0]; }
  DeviceState& state(int round) {
    return group().cases[2].rounds[static_cast<std::size_t>(round)].state;
  }
  std::map<Flag, std::vector<int>> flagged() { return noise_of(group(), results)[2].flagged; }

  Results results = examples::gpu();
};

TEST_F(GpuDayDeviceStates, ThatStayChangeNothing) {
  state(3).throttle_bits = throttle_idle;
  const DeviceStates states = device_states(group());
  EXPECT_EQ(states.turns, 5 * examples::rounds);  // turns of limits count, too
  EXPECT_EQ(states.read, states.turns);
  EXPECT_FALSE(states.changed());
  EXPECT_THAT(flagged(), Not(Contains(Key(Flag::DeviceClock))));
  EXPECT_THAT(flagged(), Not(Contains(Key(Flag::DeviceThrottled))));
}

TEST_F(GpuDayDeviceStates, AClockThatChangesIsFlagged) {
  state(5).sm_clock_mhz = 1'941;  // 1.97 % below the others; up to 2 % is no change
  EXPECT_FALSE(device_states(group()).changed());
  state(5).sm_clock_mhz = 1'755;
  state(7).sm_clock_mhz = 2'100;
  const DeviceStates states = device_states(group());
  EXPECT_TRUE(states.clock_changed());
  EXPECT_EQ(states.low_mhz, 1'755);
  EXPECT_EQ(states.middle_mhz, 1'980);
  EXPECT_EQ(states.high_mhz, 2'100);
  EXPECT_THAT(flagged(), Contains(Pair(Flag::DeviceClock, ElementsAre(5, 7))));
}

/// `sm_clock_mhz` is the clock that was read after the turn, when it may already have changed.
/// `turn_clock_mhz` is the mean clock during the turn, so it decides.
TEST_F(GpuDayDeviceStates, TheClockThatATurnHadCountsBeforeThatAtItsEnd) {
  for (auto* list : {&group().cases, &group().limits})
    for (CaseResult& result : *list)
      for (Round& round : result.rounds) round.turn_clock_mhz = 1'755;
  state(5).sm_clock_mhz = 1'200;
  EXPECT_FALSE(device_states(group()).changed());
  EXPECT_EQ(device_states(group()).middle_mhz, 1'755);
  EXPECT_THAT(flagged(), Not(Contains(Key(Flag::DeviceClock))));
  group().cases[2].rounds[7].turn_clock_mhz = 1'500;
  EXPECT_TRUE(device_states(group()).clock_changed());
  EXPECT_THAT(flagged(), Contains(Pair(Flag::DeviceClock, ElementsAre(7))));
}

TEST_F(GpuDayDeviceStates, AReasonOfSomeTurnsIsFlagged) {
  state(2).throttle_bits = 0x4;
  const DeviceStates states = device_states(group());
  EXPECT_TRUE(states.changed());
  EXPECT_EQ(states.sometimes_bits, 0x4);
  EXPECT_EQ(states.always_bits, 0);
  EXPECT_THAT(flagged(), Contains(Pair(Flag::DeviceThrottled, ElementsAre(2))));
}

TEST_F(GpuDayDeviceStates, AReasonOfAllTurnsIsNoChange) {
  for (auto* list : {&group().cases, &group().limits})
    for (CaseResult& result : *list)
      for (Round& round : result.rounds) round.state.throttle_bits = 0x4;
  const DeviceStates states = device_states(group());
  EXPECT_EQ(states.always_bits, 0x4);
  EXPECT_FALSE(states.changed());
  EXPECT_THAT(flagged(), Not(Contains(Key(Flag::DeviceThrottled))));
}

TEST_F(GpuDayDeviceStates, TenDegreesAreAChange) {
  state(19).temperature_c = 49;
  EXPECT_FALSE(device_states(group()).changed());
  state(19).temperature_c = 50;
  EXPECT_TRUE(device_states(group()).changed());
}

TEST_F(GpuDayDeviceStates, WhatHeldTheClocksBackIsCountedOverTheRounds) {
  using Times = std::map<std::string, std::int64_t>;
  const auto held = [&](Json before, Json after) {
    group().condition_before = {{"held_back_ns", std::move(before)}};
    group().condition_after = {{"held_back_ns", std::move(after)}};
    return device_states(group()).held_back_ns;
  };
  EXPECT_EQ(held({{"sw_power_cap", 7}, {"sync_boost", 9}, {"reliability", 2}},
                 {{"sw_power_cap", 12}, {"sync_boost", 9}, {"reliability", 1}, {"board_limit", 3}}),
            (Times{{"sw_power_cap", 5}}));
  EXPECT_GT(device_states(group()).rounds_ns, 0);
  EXPECT_EQ(held(nullptr, {{"sw_power_cap", 12}}), Times{});
  EXPECT_EQ(held({{"sw_power_cap", "much"}}, {{"sw_power_cap", 12}}), Times{});
  EXPECT_EQ(held({{"sw_power_cap", std::numeric_limits<std::int64_t>::min()}},
                 {{"sw_power_cap", std::numeric_limits<std::int64_t>::max()}}),
            Times{});
  // The driver increases throttled times in steps. A step may be longer than the rounds, so the
  // throttled time is limited to the time of the rounds.
  const std::int64_t rounds_ns = device_states(group()).rounds_ns;
  EXPECT_EQ(held({{"sw_power_cap", 0}}, {{"sw_power_cap", 2 * rounds_ns}}),
            (Times{{"sw_power_cap", rounds_ns}}));
}

TEST_F(GpuDayDeviceStates, TurnsThatWereNotReadSayNothing) {
  state(3) = {};
  const DeviceStates states = device_states(group());
  EXPECT_EQ(states.read, states.turns - 1);
  EXPECT_EQ(states.low_mhz, 1'980);
  EXPECT_FALSE(states.changed());
  EXPECT_EQ(device_states(examples::tie().groups[0]).turns, 0);
}

}  // namespace
}  // namespace normbench::device_states_test
