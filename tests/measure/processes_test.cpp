#include <gtest/gtest.h>

#include "measure/runner.h"

namespace normbench::processes_test {
namespace {

CaseResult measured_case(const std::string& variant, std::int64_t wall_ns, double error) {
  CaseResult result;
  result.variant = variant;
  result.iterations = 3;
  result.check = {.ok = true, .max_abs_error = error, .bound = 1};
  result.stages.resize(1);
  result.stages[0].rounds_ns = {wall_ns};
  result.rounds = {{.wall_ns = wall_ns, .start_ns = 10, .counters = {}}};
  return result;
}

GroupResult part_of(std::int64_t wall_ns, double error, Stop stop) {
  GroupResult group;
  group.cases = {measured_case("a", wall_ns, error), measured_case("b", wall_ns + 1, error)};
  group.limits = {measured_case("limit", wall_ns + 2, error)};
  group.order = {{0, 1, 2}};
  group.stop = stop;
  return group;
}

TEST(Processes, LaterRoundsFollowTheFirst) {
  GroupResult group = part_of(100, 0.5, Stop::Precision);
  append_part(group, part_of(200, 0.25, Stop::Time));

  GroupResult expected = part_of(100, 0.5, Stop::Time);
  expected.order = {{0, 1, 2}, {0, 1, 2}};
  std::int64_t wall_ns = 200;
  for (CaseResult* result : {&expected.cases[0], &expected.cases[1], &expected.limits[0]}) {
    result->rounds.push_back({.wall_ns = wall_ns, .start_ns = 122, .counters = {}});
    result->stages[0].rounds_ns.push_back(wall_ns++);
  }
  EXPECT_EQ(group, expected);
}

TEST(Processes, WhatHeldTheDeviceBackWhileOtherGroupsRanIsNotTheirs) {
  const auto part = [](std::int64_t before_ns, std::int64_t after_ns) {
    GroupResult group = part_of(100, 0.5, Stop::Time);
    group.condition_before = {{"held_back_ns", {{"sw_power_cap", before_ns}, {"idle", 3}}}};
    group.condition_after = {{"held_back_ns", {{"sw_power_cap", after_ns}}}};
    return group;
  };
  GroupResult group = part(1000, 1010);
  append_part(group, part(1500, 1507));
  append_part(group, part(9000, 9001));
  EXPECT_EQ(group.condition_after["held_back_ns"]["sw_power_cap"], 9001);
  EXPECT_EQ(group.condition_before["held_back_ns"]["sw_power_cap"], 9001 - (10 + 7 + 1));
  EXPECT_EQ(group.condition_before["held_back_ns"]["idle"], 3);
  append_part(group, part_of(100, 0.5, Stop::Time));  // a part without readings
  EXPECT_EQ(group.condition_before["held_back_ns"]["sw_power_cap"], 9001 - (10 + 7 + 1));
}

TEST(Processes, ACaseThatFailsInOneHasFailed) {
  GroupResult group = part_of(100, 0.5, Stop::Time), later = part_of(200, 0.5, Stop::Time);
  later.cases[1].status = Status::Failed;
  later.cases[1].reason = "wrong output";
  later.cases[1].rounds.clear();
  append_part(group, later);
  EXPECT_EQ(group.cases[1], later.cases[1]);
  EXPECT_EQ(group.cases[0].rounds.size(), 2u);

  append_part(group, part_of(300, 0.5, Stop::Time));
  EXPECT_EQ(group.cases[1], later.cases[1]);
  EXPECT_EQ(group.cases[0].rounds.size(), 3u);
}

}  // namespace
}  // namespace normbench::processes_test
