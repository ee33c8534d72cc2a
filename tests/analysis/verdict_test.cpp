#include "analysis/verdict.h"

#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::verdict_test {
namespace {

GroupAnalysis analysed(const Results& results) { return analyse(results.groups[0], results); }

std::string judged(const std::string& left, Relation relation, const std::string& right) {
  Results results = examples::tie();
  results.groups[0].claims = {{"it", left, relation, right}};
  return claim_lines(analysed(results).verdict.claims).at(0);
}

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
  Results results = examples::failed();  // "wrong" takes 1 ms, the others 5 and 6
  EXPECT_EQ(analysed(results).verdict.winner, "right");
  results.groups[0].cases[2].status = Status::Ok;
  EXPECT_EQ(analysed(results).verdict.winner, "wrong");
}

TEST(Verdict, BoundAndCause) {
  const Verdict verdict = analysed(examples::blog()).verdict;
  EXPECT_EQ(verdict.bound, "memory");
  EXPECT_EQ(verdict.cause, "page faults");
  EXPECT_EQ(analysed(examples::blog_no_counters()).verdict.cause, "extra passes");
}

TEST(Verdict, PageFaultsAreNamedOnlyWhereTheyHappen) {
  const auto reasons = [](const Results& results) { return analysed(results).verdict.reasons; };
  EXPECT_THAT(
      reasons(examples::constants()),
      testing::Contains("Why \"per call: sub, div in place\" is slow: page faults. 27,000 a "
                        "batch at 1.5 us = 82 % of its time. It differs from the fastest "
                        "in 3 factors: constants, output of sub, output of div."));
  const Verdict reused = analysed(examples::constants_reused()).verdict;
  for (const std::string& line : reused.text)
    EXPECT_THAT(line, testing::Not(testing::AnyOf(testing::HasSubstr("fault"),
                                                  testing::HasSubstr("fresh"))));
}

TEST(Verdict, TheOnlyFactorIsNamed) {
  const Results results = examples::pinning();
  EXPECT_THAT(
      analysed(results).verdict.reasons,
      testing::Contains("Why h2d from pageable memory is slow: the link. Its copies take 99 "
                        "% of the time. Only memory of the source (pageable, pinned) "
                        "differs from the fastest."));
}

TEST(Verdict, FasterThanTheLimitIsAnError) {
  Results results = examples::blog();
  results.groups[0].limits[0].rounds = examples::make_rounds(3.2, 7);  // the case takes 2.9 ms
  results.groups[0].limits[1].rounds = examples::make_rounds(3.6, 8);
  const GroupAnalysis analysis = analysed(results);
  EXPECT_TRUE(analysis.cases[5].above_limit);
  EXPECT_THAT(analysis.verdict.reasons,
              testing::Contains(testing::StartsWith(
                  "Error: \"uint8: normalize (fused)\" is faster than its limit (110 %")));
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

TEST(Claims, AreJudgedByPairs) {
  EXPECT_EQ(judged("one", Relation::Less, "slow"),
            "Claim \"it\": confirmed (one is 1.80x faster than slow).");
  EXPECT_EQ(judged("slow", Relation::Less, "one"),
            "Claim \"it\": contradicted (slow is 1.80x slower than one).");
  EXPECT_EQ(judged("slow", Relation::More, "one"),
            "Claim \"it\": confirmed (slow is 1.80x slower than one).");
  EXPECT_THAT(judged("one", Relation::Equal, "other"),
              testing::StartsWith("Claim \"it\": confirmed (no difference larger than "));
  EXPECT_THAT(judged("one", Relation::Less, "other"),
              testing::StartsWith("Claim \"it\": contradicted (no difference larger than "));
  EXPECT_EQ(judged("one", Relation::Less, "gone"), "Claim \"it\": not run here.");
}

TEST(Document, HoldsWhatWasDerivedBesideTheMeasurements) {
  const Results results = examples::blog();
  const Json group = document(results)["groups"][0];
  const GroupAnalysis analysis = analysed(results);
  EXPECT_EQ(group["verdict"]["winner"], "uint8: normalize (fused)");
  EXPECT_EQ(group["verdict"]["text"], Json(analysis.verdict.text));
  const Json& winner = group["cases"][5];
  EXPECT_EQ(winner["summary"]["rounds"], 20);
  EXPECT_EQ(winner["summary"]["median_ns"], analysis.cases[5].time_ns->value);
  EXPECT_EQ(winner["ratio"]["to"], "A2 float32: sub, div");
  EXPECT_EQ(winner["ratio"]["value"], analysis.cases[5].ratio->value);
  EXPECT_EQ(winner["of_limit"]["limit"], "stream 27.6:110.6 MB nt, 1 thread");
  EXPECT_EQ(group["cases"][1]["counters"]["minor_faults"], 54'002);
  EXPECT_EQ(group["pairs"].size(), 15u);
}

TEST(Document, OfSkippedCasesHasNoSummary) {
  const Json written = document(examples::skipped_gpu());
  for (const Json& result : written["groups"][0]["cases"]) EXPECT_FALSE(result.contains("summary"));
}

}  // namespace
}  // namespace normbench::verdict_test
