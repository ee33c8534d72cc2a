#include "backend/cpu/grain.h"

#include <gtest/gtest.h>

#include <limits>

namespace normbench::grain_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t ms = 1'000'000;

/// 100 bytes a nanosecond within 1 MB, 10 beyond.
constexpr TeamCosts machine{.awake_ns = 2'000,
                            .asleep_ns = 60'000,
                            .loop_ns = 4'000'000,
                            .cache_bytes = 1'000'000,
                            .cached_bytes_per_ns = 100,
                            .uncached_bytes_per_ns = 10};

TeamCosts with_asleep(double asleep_ns) {
  TeamCosts costs = machine;
  costs.asleep_ns = asleep_ns;
  return costs;
}

TEST(Saved, IsTheShareOfTheOthersAtOneThreadsRate) {
  EXPECT_EQ(saved_ns(1'000'000, 2, machine), 5'000);
  EXPECT_EQ(saved_ns(1'000'000, 4, machine), 7'500);
  EXPECT_EQ(saved_ns(2'000'000, 2, machine), 100'000);
  EXPECT_EQ(saved_ns(1'000'000, 1, machine), 0);
}

// A team of 2 halves the time: what it saves is 1.25 times its cost when that is 2.5 of its costs.
TEST(Grain, IsWhereATeamSavesAQuarterMoreThanItCosts) {
  EXPECT_EQ(grain_bytes(2, machine, true), 500'000);
  EXPECT_EQ(grain_bytes(5, machine, true), 312'500);
  EXPECT_EQ(grain_bytes(2, machine, false), 1'500'000);
  EXPECT_EQ(grain_bytes(1, machine, true), never);
}

TEST(Grain, BeyondTheCacheIsAtTheSlowerRate) {
  EXPECT_EQ(grain_bytes(2, with_asleep(4'000), false), 1'000'000);
  EXPECT_EQ(grain_bytes(2, with_asleep(4'001), false), 1'000'001);
  EXPECT_EQ(grain_bytes(2, with_asleep(41'000), false), 1'025'000);
}

TEST(Grain, OfATeamThatThereIsNotIsNever) {
  TeamCosts none = machine;
  none.awake_ns = none.asleep_ns = infinite;
  EXPECT_EQ(grain_bytes(2, none, true), never);
  EXPECT_EQ(grain_bytes(2, none, false), never);
}

TEST(TeamChoice, SmallWorkHasNoneAndLargeWorkHasOne) {
  TeamChoice choice(2, machine);
  choice.team_ended(0);
  EXPECT_FALSE(choice.may_pay(499'999));
  EXPECT_TRUE(choice.may_pay(500'000));
  for (std::int64_t now = 0; now < ms; now += 1'000) {
    EXPECT_FALSE(choice.pays(499'999, now));
    choice.worked_alone(499'999, now, now);
  }
  EXPECT_TRUE(choice.pays(500'000, ms));
  EXPECT_TRUE(choice.pays(1'500'000, 100 * ms));
  EXPECT_FALSE(TeamChoice(1, machine).pays(1'500'000, 100 * ms));
}

TEST(TeamChoice, BetweenThemItDependsOnWhetherThreadsSleep) {
  TeamChoice choice(2, machine);
  EXPECT_FALSE(choice.pays(800'000, 0));  // there was no team
  choice.team_ended(100 * ms);
  EXPECT_TRUE(choice.pays(800'000, 104 * ms - 1));
  EXPECT_FALSE(choice.pays(800'000, 104 * ms));
}

/// How many calls of 20 ms, so far apart, are made before one has a team; `most` where none has.
int calls_without_team(TeamChoice& choice, std::int64_t apart_ns, std::int64_t now_ns, int most) {
  for (int i = 0; i < most; ++i, now_ns += apart_ns) {
    if (choice.pays(800'000, now_ns)) return i;
    choice.worked_alone(800'000, now_ns, now_ns + 20 * ms);
    now_ns += 20 * ms;
  }
  return most;
}

// Each call on one thread misses 4 - 2 us; waking costs 60.
TEST(TeamChoice, WorkThatComesOftenWakesThreadsWhenThatHasPaid) {
  TeamChoice choice(2, machine);
  EXPECT_EQ(calls_without_team(choice, 8'000, 100 * ms, 1000), 30);
  choice.team_ended(1000 * ms);
  EXPECT_EQ(calls_without_team(choice, 8'000, 2000 * ms, 1000), 30) << "it starts to count anew";
}

TEST(TeamChoice, WorkThatComesSeldomNeverWakesThem) {
  TeamChoice choice(2, machine);
  EXPECT_EQ(calls_without_team(choice, 4 * ms - 1, 100 * ms, 1000), 30);
  EXPECT_EQ(calls_without_team(choice, 4 * ms, 10'000 * ms, 1000), 1000);
  EXPECT_EQ(calls_without_team(choice, 10 * ms, 100'000 * ms, 1000), 1000);
}

TEST(GrainText, SaysWhatPaysAndWhy) {
  EXPECT_EQ(
      grain_text(2, machine),
      "a team of 2 pays from 500 kB on within 4.0 ms of the last, while its threads wait in a "
      "loop, from 1.50 MB on after that: start and join cost 2.0 us awake, 60 us asleep. Work "
      "between the two wakes them where it comes often. One thread moves 100 GB/s within 1.00 "
      "MB, 10 GB/s beyond.");
  EXPECT_EQ(grain_text(1, machine), "one thread, no team");
}

TEST(GrainText, OfThreadsThatNeverSleepAndOfNone) {
  TeamCosts costs = machine;
  costs.loop_ns = infinite;
  EXPECT_EQ(grain_text(2, costs),
            "a team of 2 pays from 500 kB on: start and join cost 2.0 us, its threads never sleep. "
            "One thread moves 100 GB/s within 1.00 MB, 10 GB/s beyond.");
  costs.awake_ns = infinite;
  EXPECT_EQ(grain_text(2, costs), "OpenMP gives no team of 2");
}

}  // namespace
}  // namespace normbench::grain_test
