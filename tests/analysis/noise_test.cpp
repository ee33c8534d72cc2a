#include "analysis/noise.h"

#include <gmock/gmock.h>

#include <cmath>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::noise_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

CaseResult timed_case(const std::string& variant, const std::vector<double>& ms) {
  CaseResult result = examples::make_case({.variant = variant});
  result.rounds.clear();
  for (const double one : ms)
    result.rounds.push_back(
        {.wall_ns = std::llround(one * 1e6),
         .start_ns = static_cast<std::int64_t>(result.rounds.size()) * 10'000'000,
         .counters = {}});
  return result;
}

/// Returns times of 1.00, 1.01, 1.02, 1.00, ... ms. Their median is 1.01, and no z-score exceeds
/// 0.6745.
std::vector<double> steady(int count) {
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) ms.push_back(1.00 + 0.01 * (i % 3));
  return ms;
}

Results of_cases(std::vector<CaseResult> cases) {
  GroupResult group;
  group.experiment = "example";
  group.baseline = cases.front().variant;
  group.cases = std::move(cases);
  return examples::make_results("example", {group});
}

CaseNoise noise_of_first(const CaseResult& result) {
  const Results results = of_cases({result});
  return noise_of(results.groups[0], results).at(0);
}

TEST(Noise, OfQuietRoundsIsNothing) {
  const CaseNoise noise = noise_of_first(timed_case("a", steady(12)));
  EXPECT_EQ(noise.rounds, 12);
  EXPECT_EQ(noise.counters, Counters{});
  EXPECT_EQ(noise.frequency_khz, 0);
  EXPECT_THAT(noise.flagged, IsEmpty());
  EXPECT_THAT(noise.disturbed, IsEmpty());
  EXPECT_EQ(noise.drift, std::nullopt);  // too few rounds
  EXPECT_FALSE(noise.drifts);
  EXPECT_EQ(noise.undisturbed, std::nullopt);
}

TEST(Noise, OfACaseThatWasNotMeasuredSaysNothing) {
  CaseResult skipped = timed_case("a", steady(12));
  skipped.status = Status::Skipped;
  EXPECT_EQ(noise_of_first(skipped).rounds, 0);
}

TEST(Noise, StolenAndThrottledRoundsAreFlagged) {
  CaseResult result = timed_case("a", steady(10));
  result.rounds[3].disturbance.steal_ns = 10'000'000;
  result.rounds[7].disturbance = {.steal_ns = 20'000'000, .throttled_ns = 5'000'000};
  const CaseNoise noise = noise_of_first(result);
  EXPECT_THAT(noise.flagged, UnorderedElementsAre(Pair(Flag::Stolen, ElementsAre(3, 7)),
                                                  Pair(Flag::Throttled, ElementsAre(7))));
  EXPECT_THAT(noise.disturbed, ElementsAre(3, 7));
  // A turn starts every 10 ms, from 0 on, and takes about 1 ms. The last of ten turns ends at 91
  // ms.
  EXPECT_DOUBLE_EQ(noise.steal_share, 30.0 / 91);
  EXPECT_DOUBLE_EQ(noise.throttled_share, 5.0 / 91);
}

TEST(Noise, ATurnIsReadSinceTheOneBeforeItWhoseverItWas) {
  CaseResult a = timed_case("a", {1, 1}), b = timed_case("b", {2, 2});
  for (Round& round : b.rounds) round.start_ns += 5'000'000;  // turns of b end at 7 and 17 ms
  a.rounds[1].disturbance.steal_ns = 10'000'000;              // turns of a end at 1 and 11 ms
  const Results results = of_cases({a, b});
  EXPECT_DOUBLE_EQ(noise_of(results.groups[0], results)[0].steal_share, 10.0 / (1 + (11 - 7)));
}

TEST(Noise, PreemptedIsBeyondTheCasesUsualAndSlow) {
  CaseResult result = timed_case("a", {1, 1, 1, 1, 1.03, 1.03, 1.01, 1, 1});
  const auto switch_to = [&](const std::vector<int>& switches) {
    for (std::size_t i = 0; i < switches.size(); ++i)
      result.rounds[i].counters.involuntary_switches = switches[i];
  };
  switch_to({4, 4, 4, 4, 10, 11, 11, 4, 4});  // up to 4 + 3 sqrt(4) = 10 switches are not flagged
  EXPECT_THAT(noise_of_first(result).flagged, ElementsAre(Pair(Flag::Preempted, ElementsAre(5))));
  switch_to({0, 0, 0, 0, 1, 0, 1, 0, 0});
  EXPECT_THAT(noise_of_first(result).flagged, ElementsAre(Pair(Flag::Preempted, ElementsAre(4))));
}

TEST(Noise, NeighboursMayPreemptMostRounds) {
  CaseResult result = timed_case("a", {2.7, 6.8, 6.9, 2.8, 6.9, 7.0, 2.7, 6.9, 6.8, 2.8, 6.9});
  for (Round& round : result.rounds)
    round.counters.involuntary_switches = round.wall_ns > 3'000'000 ? 1 : 0;
  EXPECT_THAT(noise_of_first(result).flagged,
              ElementsAre(Pair(Flag::Preempted, ElementsAre(1, 2, 4, 5, 7, 8, 10))));
}

TEST(Noise, ASlowClockIsTwoPercentBelowTheMedian) {
  CaseResult result = timed_case("a", steady(9));
  for (Round& round : result.rounds) round.disturbance.frequency_khz = 3'000'000;
  result.rounds[0].disturbance.frequency_khz = 2'939'999;
  result.rounds[1].disturbance.frequency_khz = 2'940'000;
  result.rounds[2].disturbance.frequency_khz = 3'300'000;
  const CaseNoise noise = noise_of_first(result);
  EXPECT_THAT(noise.flagged, ElementsAre(Pair(Flag::SlowClock, ElementsAre(0))));
  EXPECT_EQ(noise.frequency_khz, 3'000'000);
  EXPECT_DOUBLE_EQ(noise.frequency_spread, (3'300'000 - 2'939'999) / 3e6);
}

TEST(Noise, OutliersHaveAModifiedZScoreAbove3Point5) {
  // Each time is 100 ms * exp(x). At index 0, x is 5.18 and later 5.20. At the other indices, x is
  // 0, 1 or -1. The median of x is 0, and the median of the distances from 0 is 1. So the z-score
  // of a time is 0.6745 times the distance of its x from 0.
  const double e = std::exp(1);
  std::vector<double> ms;
  for (const int power : {0, 1, -1, 0, 1, -1, 1, -1, 0, 1, -1})
    ms.push_back(100 * std::pow(e, power));
  ms[0] = 100 * std::exp(5.18);  // z = 3.494
  EXPECT_THAT(noise_of_first(timed_case("a", ms)).flagged, IsEmpty());
  ms[0] = 100 * std::exp(5.20);  // z = 3.507
  EXPECT_THAT(noise_of_first(timed_case("a", ms)).flagged,
              ElementsAre(Pair(Flag::Outlier, ElementsAre(0))));
}

TEST(Noise, EqualTimesHaveNoOutliers) {
  std::vector<double> ms(9, 1.0);
  ms[4] = 7;
  EXPECT_THAT(noise_of_first(timed_case("a", ms)).flagged, IsEmpty());
}

TEST(Noise, DriftIsTheLastThirdOverTheFirst) {
  std::vector<double> ms(18, 2.0);
  for (int i = 12; i < 18; ++i) ms[i] = 2.1;
  const CaseNoise noise = noise_of_first(timed_case("a", ms));
  ASSERT_TRUE(noise.drift);
  EXPECT_NEAR(noise.drift->value, 1.05, 1e-12);
  EXPECT_NEAR(noise.drift->low, 1.05, 1e-12);
  EXPECT_TRUE(noise.drifts);
  for (int i = 12; i < 18; ++i) ms[i] = 2.01;  // 0.5 %, below the precision of 1 %
  EXPECT_FALSE(noise_of_first(timed_case("a", ms)).drifts);
  ms[17] = 1.99;  // 5 ratios are 1.1, one is 0.995; the interval contains them all
  for (int i = 12; i < 17; ++i) ms[i] = 2.2;
  EXPECT_FALSE(noise_of_first(timed_case("a", ms)).drifts);
}

TEST(Noise, AutocorrelationIsOfTheRatiosToTheBaseline) {
  // The times of both cases alternate in step, so each case's own times have the autocorrelation
  // -11/12 (for twelve rounds). Their ratios are constant.
  std::vector<double> ms;
  for (int i = 0; i < 12; ++i) ms.push_back(i % 2 == 0 ? 1 : 2);
  const Results results = of_cases({timed_case("a", ms), timed_case("b", ms)});
  const auto noise = noise_of(results.groups[0], results);
  EXPECT_NEAR(noise[0].autocorrelation, -11.0 / 12, 1e-12);
  EXPECT_EQ(noise[1].autocorrelation, 0);
}

TEST(Noise, RatiosWithoutDisturbedRoundsOfEither) {
  std::vector<double> a(20, 1.0), b(20, 1.0);
  for (int i = 0; i < 12; ++i) b[i] = 1.1;
  CaseResult first = timed_case("a", a), second = timed_case("b", b);
  for (int i = 0; i < 6; ++i) first.rounds[i].disturbance.steal_ns = 1;
  for (int i = 6; i < 12; ++i) second.rounds[i].disturbance.steal_ns = 1;
  Results results = of_cases({first, second});
  CaseNoise noise = noise_of(results.groups[0], results)[1];
  ASSERT_TRUE(noise.undisturbed);
  EXPECT_EQ(*noise.undisturbed, (Interval{1, 1, 1}));
  EXPECT_EQ(noise_of(results.groups[0], results)[0].undisturbed, std::nullopt);  // the baseline
  for (int i = 0; i < 3; ++i) first.rounds[12 + i].disturbance.steal_ns = 1;     // 5 rounds remain
  results = of_cases({first, second});
  EXPECT_EQ(noise_of(results.groups[0], results)[1].undisturbed, std::nullopt);
}

TEST(Noise, SensitiveIsFartherThanHalfTheInterval) {
  // Six ratios are 1. The others are 1.08, 1.085, ..., 1.145. The median lies between 1.095 and
  // 1.1. Its interval (order statistics 4 and 15 of 20, from 0) is from 1 to 1.125, so half its
  // width is 6 %.
  std::vector<double> ms;
  for (int i = 0, high = 0; i < 20; ++i) ms.push_back(i % 3 == 2 ? 1 : 1.08 + 0.005 * high++);
  CaseResult second = timed_case("b", ms);
  for (int i = 0; i < 20; ++i) second.rounds[i].disturbance.steal_ns = i % 3 == 2 ? 0 : 1;
  const std::vector<double> ones(20, 1.0);
  Results results = of_cases({timed_case("a", ones), second});
  const CaseNoise moved = noise_of(results.groups[0], results)[1];
  ASSERT_TRUE(moved.undisturbed);
  EXPECT_EQ(*moved.undisturbed, (Interval{1, 1, 1}));
  EXPECT_TRUE(moved.sensitive);
  for (int i = 1; i < 20; ++i) second.rounds[i].disturbance.steal_ns = 0;
  results = of_cases({timed_case("a", ones), second});
  const CaseNoise same = noise_of(results.groups[0], results)[1];
  EXPECT_TRUE(same.undisturbed);
  EXPECT_FALSE(same.sensitive);
}

}  // namespace
}  // namespace normbench::noise_test
