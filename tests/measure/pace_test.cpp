#include "measure/pace.h"

#include <gtest/gtest.h>

namespace normbench::pace_test {
namespace {

constexpr double kAsked = 5;  // time limit of a group in seconds

Plan plan_of(std::size_t groups, bool profiled = false) {
  Plan plan;
  plan.measure.max_seconds_per_group = kAsked;
  plan.profile = {.wait = 1, .warmup = 1, .active = 8, .enabled = profiled};
  Group group;
  group.cases.resize(2);
  plan.groups.assign(groups, group);
  return plan;
}

GroupStep prepared(std::size_t group) { return {GroupStep::Kind::Prepared, group, 4, 4}; }

TEST(Pace, BeforeTheFirstRoundIsWhatWasAskedFor) {
  const Plan plan = plan_of(3);
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  EXPECT_DOUBLE_EQ(pace.seconds_left(0), 3 * kAsked);
}

TEST(Pace, AFinishedGroupSaysWhatTheNextOnesTake) {
  const Plan plan = plan_of(3);
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  pace.step_done(prepared(0), 2);
  pace.group_finished(3);  // the group stops early, after 3 s
  EXPECT_DOUBLE_EQ(pace.seconds_left(3), 2 * 3);
  pace.group_started(1, 0, 3);
  EXPECT_DOUBLE_EQ(pace.seconds_left(4), 2 + 3);
}

TEST(Pace, EachProcessTakesItsShareOfEveryGroup) {
  Plan plan = plan_of(2);
  plan.measure.processes = 5;
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  EXPECT_DOUBLE_EQ(pace.seconds_left(0), 2 * kAsked);
  pace.step_done({GroupStep::Kind::Process, 0, 1, 5}, 3);
  EXPECT_DOUBLE_EQ(pace.seconds_left(3), 9 * 3);
  pace.group_started(1, 4, 3);
  EXPECT_DOUBLE_EQ(pace.seconds_left(4), 2);
  pace.step_done({GroupStep::Kind::Process, 1, 5, 5}, 6);
  pace.group_finished(6);
  EXPECT_DOUBLE_EQ(pace.seconds_left(6), 0);
}

TEST(Pace, GroupsOfWhichNothingRunsHereTakeNoTime) {
  Plan plan = plan_of(3, true);
  for (const std::size_t skipped : {0u, 2u})
    for (Case& planned : plan.groups[skipped].cases) planned.skip = "no GPU";
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  EXPECT_DOUBLE_EQ(pace.seconds_left(0), kAsked);
  pace.group_finished(0.1);
  pace.group_started(1, 0, 0.1);
  EXPECT_DOUBLE_EQ(pace.seconds_left(0.1), kAsked);
  pace.group_finished(5);
  EXPECT_DOUBLE_EQ(pace.seconds_left(5), 0);
  pace.step_done({GroupStep::Kind::Profiled, 1, 2, 2}, 7);  // the other groups are skipped
  EXPECT_DOUBLE_EQ(pace.seconds_left(7), 0);
}

TEST(Pace, RoundsAreStillLeftWhilePreparingTakesLong) {
  const Plan plan = plan_of(1);
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  EXPECT_DOUBLE_EQ(pace.seconds_left(8), kAsked);
  pace.step_done(prepared(0), 9);
  EXPECT_DOUBLE_EQ(pace.seconds_left(10), kAsked - 1);
}

TEST(Pace, GroupsOfAnEarlierRunAreNotLeft) {
  const Plan plan = plan_of(10);
  Pace pace(plan);
  pace.group_started(8, 0, 0);
  EXPECT_DOUBLE_EQ(pace.seconds_left(0), 2 * kAsked);
}

TEST(Pace, SlowRoundsTakeLongerThanWasAskedFor) {
  const Plan plan = plan_of(2);
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  pace.step_done(prepared(0), 3);
  EXPECT_TRUE(pace.turns_fitted(0, {.preparing_seconds = 3,
                                    .round_seconds = 2,
                                    .after_seconds = 1,
                                    .fewest_rounds = 12,
                                    .turns = 4}));
  EXPECT_DOUBLE_EQ(pace.seconds_left(5), 28 - 5 + 28);
}

TEST(Pace, WhatIsPlannedForALimitIsNoOverrun) {
  const Plan plan = plan_of(1);
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  pace.step_done(prepared(0), 0);
  GroupForecast forecast{.round_seconds = 0.7, .fewest_rounds = 12, .turns = 4};
  EXPECT_FALSE(pace.turns_fitted(0, forecast));  // 8.4 s, less than 0.9 * most_of_limit * 5 s
  forecast.after_seconds = 0.7;
  EXPECT_TRUE(pace.turns_fitted(0, forecast));
}

TEST(Pace, ASecondMoreThanNearlyNoneIsNotWorthAWord) {
  Plan plan = plan_of(1);
  plan.measure.max_seconds_per_group = 0.1;
  Pace pace(plan);
  pace.group_started(0, 0, 0);
  pace.step_done(prepared(0), 0);
  EXPECT_FALSE(
      pace.turns_fitted(0, {.round_seconds = 0.09, .fewest_rounds = 12, .turns = 4}));  // 1.08 s
}

TEST(Pace, ProfilesAreIncludedAndCorrectedByThoseThatAreDone) {
  const Plan plan = plan_of(2, true);
  Pace pace(plan);
  for (const std::size_t group : {0u, 1u}) {
    const double start = 10 * static_cast<double>(group);
    pace.group_started(group, 0, start);
    pace.step_done(prepared(group), start);
    pace.turns_fitted(group, {.round_seconds = 0.4, .fewest_rounds = 12, .turns = 4});
    // A profiled step is estimated as half a turn. A round of 0.4 s has 4 turns, so a step takes
    // 0.05 s. The profile of a group has 10 steps of each of its two variants, so it takes 1 s.
    const double profiles = group == 0 ? 2 : 1 + 1;
    pace.group_finished(start + 10);
    EXPECT_NEAR(pace.seconds_left(start + 10), (group == 0 ? 10 : 0) + profiles, 1e-9);
  }
  pace.step_done({GroupStep::Kind::Profiled, 0, 1, 2}, 23);  // 3 s instead of the estimated 0.5 s
  EXPECT_NEAR(pace.seconds_left(23), 1.5 * 6, 1e-9);
  pace.step_done({GroupStep::Kind::Profiled, 1, 2, 2}, 26);
  EXPECT_NEAR(pace.seconds_left(26), 0, 1e-9);
}

TEST(Pace, ProfilesOfAnEarlierRunTookNoTimeOfThisOne) {
  const Plan plan = plan_of(4, true);
  Pace pace(plan);
  pace.step_done({GroupStep::Kind::Profiled, 2, 1, 2}, 3);  // the first of two variants took 3 s
  EXPECT_NEAR(pace.seconds_left(3), 3 * 3, 1e-9);
}

}  // namespace
}  // namespace normbench::pace_test
