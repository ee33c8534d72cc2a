#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_results.h"
#include "report/document_text.h"
#include "report/report.h"

namespace normbench::device_states_text_test {
namespace {

Results changing() {
  Results results = examples::gpu();
  for (CaseResult& result : results.groups[0].cases)
    for (Round& round : result.rounds) round.state = {1'980, 0, 41};
  results.groups[0].cases[1].rounds[4].state = {1'305, 0x44, 63};
  return results;
}

std::string warning_of(const Results& results) {
  return device_change_warning(experiments(results)[0]);
}

TEST(GpuDayDeviceStatesText, SaysWhatTheTurnsFound) {
  DeviceStates states{.turns = 240,
                      .read = 240,
                      .low_mhz = 1'980,
                      .middle_mhz = 1'980,
                      .high_mhz = 1'980,
                      .low_c = 41,
                      .high_c = 43};
  EXPECT_EQ(device_states_text(states), "SM 1,980 MHz, 41-43 C");
  states.always_bits = 0x4;
  states.sometimes_bits = 0x48;
  states.low_mhz = 1'305;
  states.read = 12;
  states.slowest_ns = 5'000'000;
  EXPECT_EQ(
      device_states_text(states),
      "SM 1,305-1,980 MHz, 41-43 C, held back by sw_power_cap, at times held back by "
      "hw_slowdown, hw_thermal_slowdown; read after 12 of 240 turns, as a reading takes up to "
      "5.00 ms");
  EXPECT_EQ(device_states_text({}), "");
  states.sometimes_bits = 0;
  states.read = states.turns;
  states.over_turns = true;
  EXPECT_EQ(device_states_text(states),
            "SM 1,305-1,980 MHz over the turns, 41-43 C at their ends, held back by sw_power_cap");
  states.read = 0;
  EXPECT_EQ(device_states_text(states), "SM 1,305-1,980 MHz over the turns");
}

TEST(GpuDayDeviceStatesText, WarnsOfAChange) {
  EXPECT_EQ(warning_of(examples::gpu()), "");
  EXPECT_EQ(
      warning_of(changing()),
      "Warning: the GPU changed while it was measured (SM clock 1,305-1,980 MHz; held back at "
      "times by sw_power_cap, hw_thermal_slowdown; 41-63 C): the rounds are flagged.");
}

TEST(GpuDayDeviceStatesText, IsInTheDocumentWhereItWasRead) {
  EXPECT_FALSE(document(Analysed(examples::gpu()))["groups"][0].contains("gpu_states"));
  const Json states = document(Analysed(changing()))["groups"][0]["gpu_states"];
  EXPECT_EQ(states["turns"], 100);
  EXPECT_EQ(states["read"], 60);
  EXPECT_EQ(states["sm_clock_of"], "ends");
  EXPECT_EQ(states["sm_clock_mhz"], (Json{{"low", 1'305}, {"median", 1'980}, {"high", 1'980}}));
  EXPECT_EQ(states["throttle_reasons"]["sometimes"], (Json{"sw_power_cap", "hw_thermal_slowdown"}));
  EXPECT_EQ(states["changed"], true);
  EXPECT_EQ(document(Analysed(changing()))["groups"][0]["cases"][1]["flags"]["GPU clock"], Json{4});
}

TEST(GpuDayDeviceStatesText, WhatHeldItBackIsInTheDocument) {
  Results results = examples::gpu();
  EXPECT_FALSE(document(Analysed(results))["groups"][0].contains("gpu_held_back"));
  GroupResult& group = results.groups[0];
  group.condition_before["held_back_ns"] = {{"sw_power_cap", 1'000'000'000}, {"sync_boost", 5}};
  group.condition_after["held_back_ns"] = {{"sw_power_cap", 1'050'000'000}, {"sync_boost", 5}};
  const Json held = document(Analysed(results))["groups"][0]["gpu_held_back"];
  EXPECT_EQ(held["seconds"], (Json{{"sw_power_cap", 0.05}}));
  EXPECT_GT(held["of_seconds"], 0.05);
}

TEST(GpuDayDeviceStatesText, AStepOfTheDriversCountIsNoWarning) {
  const Results results = changing();
  Experiment experiment = experiments(results)[0];
  DeviceStates& device = experiment.analyses[0].device;
  device.rounds_ns = 5'000'000'000;
  device.held_back_ns = {{"sw_power_cap", 49'000'000}};
  EXPECT_THAT(throttle_warning(experiment), testing::Not(testing::HasSubstr("sw_power_cap for")));
  device.held_back_ns["sw_power_cap"] = 51'000'000;
  EXPECT_THAT(throttle_warning(experiment), testing::HasSubstr("(sw_power_cap for 0.1 of 5.0 s)"));
}

}  // namespace
}  // namespace normbench::device_states_text_test
