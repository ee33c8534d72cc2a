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
  // 12 rounds of two turns with 16 iterations of 0.1 s would take 38.4 s.
  const ContenderTime loader{.iteration = 0.1, .iterations = 16, .fewest = 1};
  const std::vector both{loader, loader};
  const Budget budget = budget_of({.limit = 10}, both);
  EXPECT_EQ(iterations_of(loader, budget.share), 4);  // 9.6 s; 5 iterations would take 12 s
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
  EXPECT_DOUBLE_EQ(rounds(6), 8);     // 90 % of 20 s, less 6 s and 2 * 2 s
  EXPECT_DOUBLE_EQ(rounds(30), 2.5);  // never less than a quarter
}

TEST(Budget, ChecksTakeAQuarterOfTheRoundsTimeButMayTakeASecondMore) {
  const ContenderTime one{.iteration = 1e-3, .checks = 3};
  const auto budget = [&](double limit, double preparing = 0) {
    return budget_of({.limit = limit, .preparing = preparing}, std::vector{one, one});
  };
  EXPECT_DOUBLE_EQ(budget(20).forecast.after_seconds, 5);  // of the 6 s of both
  EXPECT_DOUBLE_EQ(budget(2).forecast.after_seconds, 1);
  EXPECT_DOUBLE_EQ(budget(2, 2.5).rounds, 0.6);  // 90 % of 4 s, less 2.5 s and 0.5 s
}

TEST(Budget, TheShortestTurnsMayExceedIt) {
  const ContenderTime slow{.iteration = 1, .beside = 1, .iterations = 16, .fewest = 1};
  const Budget budget = budget_of({.limit = 2, .preparing = 3}, std::vector{slow, slow});
  EXPECT_EQ(iterations_of(slow, budget.share), 1);
  EXPECT_DOUBLE_EQ(budget.forecast.seconds(), 3 + 12 * 4);
}

TEST(Budget, StagedTurnsAreFewerIfTheyTakeLong) {
  ContenderTime staged{.iteration = 0.5, .is_staged = true};
  const auto turns = [&](double limit, std::int64_t processes = 1) {
    return budget_of({.limit = limit, .processes = processes}, std::vector{staged}).staged_turns;
  };
  EXPECT_EQ(turns(60), 12);
  EXPECT_EQ(turns(10), 5);
  EXPECT_EQ(turns(1), 3);
  EXPECT_EQ(turns(60, 5), 3);  // each of five processes takes its part of 12
}

TEST(Budget, SeveralProcessesShareTheFewestRounds) {
  EXPECT_EQ(StopRule::whole_blocks(4), 12u);
  EXPECT_EQ(StopRule::whole_blocks(7), 14u);
  EXPECT_EQ(StopRule::whole_blocks(2, 5), 4u);  // each of five processes needs three
  EXPECT_EQ(StopRule::whole_blocks(0), 0u);
  EXPECT_EQ(StopRule::whole_blocks(24), 24u);
  EXPECT_EQ(StopRule::whole_blocks(25), 12u);  // not a whole square
  EXPECT_EQ(StopRule::whole_blocks(2000), 12u);
  EXPECT_EQ(StopRule::whole_blocks(2000, 5), 12u);
}

}  // namespace
}  // namespace normbench::budget_test
