#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::verdict_test {
namespace {

GroupAnalysis analysed(const Results& results) { return analyse(results.groups[0], results); }

TEST(Verdict, OutcomesAndWinners) {
  struct Expected {
    Results (*results)();
    Outcome outcome;
    std::string winner;
    std::vector<int> fastest;
  };
  const std::vector<Expected> all{
      {&examples::blog, Outcome::Winner, "uint8: normalize (fused)", {5}},
      {&examples::failed, Outcome::Winner, "right", {0}},
      {&examples::tie, Outcome::Tie, "", {1, 2}},
      {&examples::inconclusive, Outcome::Inconclusive, "", {0, 1}},
      {&examples::unfair, Outcome::Unfair, "", {}},
      {&examples::traced, Outcome::Traced, "", {}},
      {&examples::skipped_gpu, Outcome::NothingRan, "", {}}};
  for (const Expected& expected : all) {
    const Verdict verdict = analysed(expected.results()).verdict;
    SCOPED_TRACE(expected.results().name);
    EXPECT_EQ(verdict.outcome, expected.outcome);
    EXPECT_EQ(verdict.winner, expected.winner);
    EXPECT_THAT(verdict.fastest, testing::UnorderedElementsAreArray(expected.fastest));
  }
}

TEST(Verdict, AFailedCaseNeverWins) {
  Results results = examples::failed();  // "wrong" takes 1 ms, the other cases 5 and 6 ms
  EXPECT_EQ(analysed(results).verdict.winner, "right");
  results.groups[0].cases[2].status = Status::Ok;
  EXPECT_EQ(analysed(results).verdict.winner, "wrong");
}

TEST(Verdict, BoundAndCause) {
  const Verdict verdict = analysed(examples::blog()).verdict;
  EXPECT_EQ(limit_of(verdict.bound), LimitKind::Memory);
  ASSERT_TRUE(verdict.slow);
  EXPECT_TRUE(std::holds_alternative<FaultCost>(verdict.slow->cause.found));
  const auto slow = analysed(examples::blog_no_counters()).verdict.slow;
  EXPECT_TRUE(std::holds_alternative<why::ExtraPasses>(slow->cause.found));
}

TEST(Verdict, FasterThanTheLimitIsAnError) {
  Results results = examples::blog();
  results.groups[0].limits[0].rounds = examples::make_rounds(3.2, 7);  // the case takes 2.9 ms
  results.groups[0].limits[1].rounds = examples::make_rounds(3.6, 8);
  const GroupAnalysis analysis = analysed(results);
  EXPECT_TRUE(analysis.cases[5].above_limit);
  EXPECT_EQ(analysed(examples::blog()).verdict.winner, results.groups[0].cases[5].variant);
  EXPECT_NE(analysis.verdict.winner, results.groups[0].cases[5].variant);
  EXPECT_THAT(analysis.verdict.fastest, testing::Not(testing::Contains(5)));
  EXPECT_FALSE(analysis.verdict.fastest.empty());
}

TEST(Verdict, WhereOneIsLeftThatIsNotFasterThanItsLimitNothingIsRanked) {
  Results results = examples::blog();
  auto& cases = results.groups[0].cases;
  for (std::size_t i = 1; i < 5; ++i) cases[i].status = Status::Skipped;
  results.groups[0].limits[0].rounds = examples::make_rounds(3.2, 7);
  results.groups[0].limits[1].rounds = examples::make_rounds(3.6, 8);
  const GroupAnalysis analysis = analysed(results);
  EXPECT_TRUE(analysis.cases[5].above_limit);
  EXPECT_EQ(analysis.verdict.outcome, Outcome::TooFast);
  EXPECT_TRUE(analysis.verdict.fastest.empty());
}

TEST(Limits, TheFastestOfTheSameMixCounts) {
  const GroupAnalysis analysis = analysed(examples::blog());
  EXPECT_EQ(analysis.cases[5].limit, "stream 27.6:110.6 MB nt, 1 thread");
  EXPECT_EQ(analysis.cases[1].limit, "stream 110.6:110.6 MB nt, 1 thread");
  EXPECT_NEAR(analysis.cases[5].of_limit->value, 2.8 / 2.9, 0.005);
  EXPECT_FALSE(analysed(examples::decoding()).cases[0].of_limit.has_value());
}

TEST(Limits, AreOfAsManyThreads) {
  Results results = examples::blog();
  results.groups[0].cases[5].threads = 2;
  EXPECT_FALSE(analysed(results).cases[5].of_limit.has_value());
}

TEST(Clock, DeviceTimeDecidesWhereThereIsSome) {
  Results results = examples::tie();
  results.clock = DecidingClock::Device;
  for (Round& round : results.groups[0].cases[0].rounds) round.device_ns = 1'000'000;
  const GroupAnalysis analysis = analysed(results);
  EXPECT_EQ(analysis.cases[0].time_ns->value, 1e6);
  EXPECT_NEAR(analysis.cases[1].time_ns->value, 5e6, 0.03e6);
  EXPECT_EQ(analysis.verdict.winner, "slow");
}

}  // namespace
}  // namespace normbench::verdict_test
