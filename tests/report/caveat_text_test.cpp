#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"
#include "report/cause_text.h"
#include "report/report.h"

namespace normbench::caveat_text_test {
namespace {

constexpr int kPerCall = 0, kCached = 1, kTwoBuffers = 2;  // indices of the examples' cases

std::string said(const Results& results, int a, int b) {
  const GroupResult& group = results.groups[0];
  return caveat_text(caveat(group, analyse(group, results), a, b, results));
}

TEST(Caveat, TellsTheExtraBufferFromTheConstants) {
  EXPECT_EQ(said(examples::constants(), kPerCall, kTwoBuffers),
            "they differ in 2 factors: constants, output of div; it comes from output of div "
            "(2.00x: 1 more fresh buffer, 27,000 more page faults = 82 % of it), constants "
            "alone at most 0.6 %");
}

TEST(Caveat, IsTheSameFromTheOtherSide) {
  const Results results = examples::constants();
  EXPECT_EQ(said(results, kTwoBuffers, kPerCall), said(results, kPerCall, kTwoBuffers));
}

TEST(Caveat, HasNoFaultsWhereOutputsAreReused) {
  EXPECT_EQ(said(examples::constants_reused(), kPerCall, kTwoBuffers),
            "they differ in 2 factors: constants, output of div; it comes from output of div "
            "(1.13x), constants alone at most 1.3 %");
}

TEST(Caveat, CountsFaultsWithoutKnowingTheirCost) {
  Results results = examples::constants();
  results.groups[0].cases.pop_back();  // removes the twin without page faults
  results.groups[0].limits.pop_back();
  EXPECT_THAT(said(results, kPerCall, kTwoBuffers),
              testing::HasSubstr("(2.00x: 1 more fresh buffer, 27,000 more page faults), "));
}

TEST(Caveat, PricesFaultsAtMostWhereTheirCostIsABound) {
  Results results = examples::constants();
  results.groups[0].limits.pop_back();  // removes the limit `first_touch`
  EXPECT_THAT(said(results, kPerCall, kTwoBuffers),
              testing::HasSubstr("27,000 more page faults = at most 89 % of it), "));
  results = examples::constants();
  results.groups[0].cases.pop_back();  // removes the twin without page faults
  EXPECT_THAT(said(results, kPerCall, kTwoBuffers),
              testing::HasSubstr("27,000 more page faults = at most 82 % of it), "));
}

TEST(Caveat, IsNothingForOneFactorOrNone) {
  const Results results = examples::constants();
  EXPECT_EQ(said(results, kPerCall, kCached), "");
  EXPECT_EQ(said(results, kCached, kTwoBuffers), "");
  EXPECT_EQ(said(results, kPerCall, kPerCall), "");
  EXPECT_EQ(said(results, kPerCall, 99), "");
}

TEST(Caveat, ListsTheFactorsWhereNoCaseTakesThemApart) {
  Results results = examples::constants();
  results.groups[0].cases.erase(results.groups[0].cases.begin() + kCached);
  EXPECT_EQ(said(results, 0, 1), "they differ in 2 factors: constants, output of div");
}

TEST(Caveat, BothPartsWhereBothAreSeen) {
  Results results = examples::constants();
  results.groups[0].cases[kCached].rounds =
      examples::make_rounds(60, 5, examples::rounds, examples::noise, 27'000);
  EXPECT_EQ(said(results, kPerCall, kTwoBuffers),
            "they differ in 2 factors: constants, output of div; it comes from constants "
            "(1.24x) and output of div (1.62x: 1 more fresh buffer, 27,000 more page faults "
            "= 100 % of it)");
}

TEST(Caveat, TooFewRoundsAreNoParts) {
  Results results = examples::constants();
  for (CaseResult& result : results.groups[0].cases) result.rounds.resize(5);
  EXPECT_EQ(said(results, kPerCall, kTwoBuffers),
            "they differ in 2 factors: constants, output of div");
}

TEST(Caveat, StandsBesideTheJudgement) {
  const Results results = examples::constants();
  const Verdict verdict = analyse(results.groups[0], results).verdict;
  EXPECT_EQ(verdict.claims[0].outcome, Judgement::Outcome::Confirmed);
  EXPECT_EQ(caveat_text(verdict.claims[0].caveat), said(results, kPerCall, kTwoBuffers));
  EXPECT_EQ(verdict.claims[1].outcome, Judgement::Outcome::Contradicted);
  EXPECT_EQ(caveat_text(verdict.claims[1].caveat), "");
  EXPECT_EQ(document(Analysed(results))["groups"][0]["verdict"]["claims"][0]["caveat"],
            caveat_text(verdict.claims[0].caveat));
}

}  // namespace
}  // namespace normbench::caveat_text_test
