#include "measure/budget.h"

#include <gmock/gmock.h>

#include "measure/stop_rule.h"

namespace normbench::budget_test {
namespace {

TEST(Budget, IsNotTouchedByShortTurns) {
  const ContenderTime one{.iteration = 1e-3, .beside = 1e-3};
  const Budget budget = budget_of({.limit = 5, .preparing = 0.1}, std::vector{one, one});
  EXPECT_EQ(budget.share, 1);
  EXPECT_EQ(budget.rounds, 5);
  EXPECT_EQ(budget.staged_turns, 12);
  EXPECT_EQ(budget.forecast.fewest_rounds, 12u);
  EXPECT_EQ(budget.forecast.turns, 2u);
  EXPECT_DOUBLE_EQ(budget.forecast.round_seconds, 4e-3);
}

TEST(Budget, TurnsAreAsLongAsFit) {
  // Two contenders share a limit of 10 s, and at least 12 rounds have to fit. With two turns per
  // round and 16 iterations of 0.1 s per turn, 12 rounds would take 38.4 s.
  const ContenderTime loader{.iteration = 0.1, .iterations = 16, .fewest = 1};
  const std::vector both{loader, loader};
  const Budget budget = budget_of({.limit = 10}, both);
  EXPECT_EQ(iterations_of(loader, budget.share), 4);  // 12 rounds: 9.6 s; with 5 iterations: 12 s
  EXPECT_DOUBLE_EQ(budget.forecast.seconds(), 9.6);
}

TEST(Budget, OnlyContendersThatCanAreShortened) {
  const ContenderTime loader{.iteration = 0.1, .iterations = 16, .fewest = 1},
      pipeline{.iteration = 0.1, .iterations = 64, .fewest = 8},
      compute{.iteration = 1e-4, .iterations = 10, .fewest = 10};
  const std::vector all{loader, pipeline, compute};
  const Budget budget = budget_of({.limit = 20}, all);
  EXPECT_EQ(iterations_of(loader, budget.share), 3);
  EXPECT_EQ(iterations_of(pipeline, budget.share), 13);
  EXPECT_EQ(iterations_of(compute, budget.share), 10);
  EXPECT_LE(budget.forecast.round_seconds * 12, 20);
}

TEST(Budget, PreparingAndTheWorkAfterTheRoundsLeaveLessForThem) {
  const ContenderTime one{.iteration = 1e-3, .last_call = 2};
  const auto rounds = [&](double preparing) {
    return budget_of({.limit = 10, .preparing = preparing}, std::vector{one, one}).rounds;
  };
  EXPECT_DOUBLE_EQ(rounds(1), 10);
  // `most_of_limit` is 2. The rounds get 0.9 * 2 * 10 s, minus 6 s (preparing) and 4 s (two last
  // calls).
  EXPECT_DOUBLE_EQ(rounds(6), 8);
  EXPECT_DOUBLE_EQ(rounds(30), 2.5);  // at least a quarter of the limit
}

TEST(Budget, ChecksTakeAQuarterOfTheRoundsTimeButMayTakeASecondMore) {
  const ContenderTime one{.iteration = 1e-3, .checks = 3};
  const auto budget = [&](double limit, double preparing = 0) {
    return budget_of({.limit = limit, .preparing = preparing}, std::vector{one, one});
  };
  EXPECT_DOUBLE_EQ(budget(20).forecast.after_seconds, 5);  // a quarter of 20 s; all checks need 6 s
  EXPECT_DOUBLE_EQ(budget(2).forecast.after_seconds, 1);
  // `most_of_limit` is 2. The rounds get 0.9 * 2 * 2 s, minus 2.5 s (preparing) and 0.5 s (checks).
  EXPECT_DOUBLE_EQ(budget(2, 2.5).rounds, 0.6);
}

TEST(Budget, TheShortestTurnsMayExceedIt) {
  const ContenderTime slow{.iteration = 1, .beside = 1, .iterations = 16, .fewest = 1};
  const Budget budget = budget_of({.limit = 2, .preparing = 3}, std::vector{slow, slow});
  EXPECT_EQ(iterations_of(slow, budget.share), 1);
  EXPECT_DOUBLE_EQ(budget.forecast.seconds(), 3 + 12 * 4);
}

TEST(Budget, TheUserIsToldIfTheShortestTurnsDoNotFit) {
  const auto told = [](double seconds, double limit) {
    return is_overrun({.preparing_seconds = seconds}, limit);
  };
  EXPECT_FALSE(told(18, 10));  // 0.9 * most_of_limit * 10 s are planned
  EXPECT_TRUE(told(18.1, 10));
  EXPECT_FALSE(told(2, 1));  // 2 * the limit of 1 s
  EXPECT_TRUE(told(2.1, 1));
  EXPECT_TRUE(told(1.3, 0.2));  // more than 1 s longer than the limit of 0.2 s
  for (const double limit : {0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 60.0}) {
    const ContenderTime fits{.iteration = limit / 1000, .checks = limit, .iterations = 100'000};
    const ContenderTime long_one{.iteration = limit, .checks = limit, .iterations = 100'000};
    for (const double preparing : {0.0, limit / 4, limit / 2}) {
      const auto forecast = [&](const ContenderTime& one) {
        return budget_of({.limit = limit, .preparing = preparing}, std::vector{one, one}).forecast;
      };
      if (limit >= 2) {  // if the limit is shorter, the least time of the checks, 1 s, may not fit
        EXPECT_FALSE(is_overrun(forecast(fits), limit)) << limit << ' ' << preparing;
      }
      EXPECT_TRUE(is_overrun(forecast(long_one), limit)) << limit << ' ' << preparing;
    }
  }
}

TEST(Budget, StagedTurnsAreFewerIfTheyTakeLong) {
  ContenderTime staged{.iteration = 0.5, .is_staged = true};
  const auto turns = [&](double limit, std::int64_t processes = 1) {
    return budget_of({.limit = limit, .processes = processes}, std::vector{staged}).staged_turns;
  };
  EXPECT_EQ(turns(60), 12);
  EXPECT_EQ(turns(10), 5);
  EXPECT_EQ(turns(1), 3);
  EXPECT_EQ(turns(60, 5), 3);  // five processes share 12 turns: 12 / 5, rounded up
}

TEST(Budget, SeveralProcessesShareTheFewestRounds) {
  EXPECT_EQ(StopRule::whole_blocks(4), 12u);
  EXPECT_EQ(StopRule::whole_blocks(7), 14u);
  EXPECT_EQ(StopRule::whole_blocks(2, 5), 4u);  // 12 / 5, rounded up to blocks of 2
  EXPECT_EQ(StopRule::whole_blocks(0), 0u);
  EXPECT_EQ(StopRule::whole_blocks(24), 24u);
  EXPECT_EQ(StopRule::whole_blocks(25), 12u);  // a block of over 24 contenders has 12 rounds
  EXPECT_EQ(StopRule::whole_blocks(2000), 12u);
  EXPECT_EQ(StopRule::whole_blocks(2000, 5), 12u);
}

}  // namespace
}  // namespace normbench::budget_test
