#include "analysis/calibration.h"

#include <gmock/gmock.h>

#include <cmath>

#include "analysis/case_analysis.h"
#include "backend/backend.h"
#include "example_results.h"
#include "measure/calibration.h"
#include "plan/memory.h"

namespace normbench::calibration_test {
namespace {

/// Returns a pair of variants with one round for each ratio. A ratio is the time of the second
/// variant divided by the time of the first.
MeasuredPair measured_pair(PairKind kind, const std::vector<double>& ratios) {
  CaseResult one = examples::make_case({.variant = "one"});
  one.rounds.clear();
  CaseResult other = one;
  other.variant = "other";
  for (const double ratio : ratios) {
    one.rounds.push_back({.wall_ns = 1'000'000, .counters = {}});
    other.rounds.push_back({.wall_ns = std::llround(1e6 * ratio), .counters = {}});
  }
  MeasuredPair pair{.kind = kind, .seed = 7, .group = {}};
  pair.group.baseline = "one";
  pair.group.cases = {one, other};
  pair.group.stop = Stop::Precision;
  return pair;
}

/// Returns the answer of judge_pair() for a slowed pair, whose second variant has 5 % more work.
/// Ten of its rounds have the ratio `low`, and ten have the ratio `high`. The precision is 1 %.
std::optional<Answer> answer_to(double low, double high) {
  std::vector<double> ratios(10, low);
  ratios.insert(ratios.end(), 10, high);
  return judge_pair(measured_pair(PairKind::Slowed, ratios), 0.01).answer;
}

JudgedPair slowed(Answer answer) {
  return {.kind = PairKind::Slowed, .ratio = {}, .answer = answer, .stop = {}};
}

JudgedPair judged(PairKind kind, Interval ratio, bool different, double visible = 0.02) {
  return {.kind = kind, .ratio = ratio, .different = different, .visible = visible, .stop = {}};
}

JudgedPair process(PairKind kind, double median_ns) {
  return {.kind = kind,
          .fresh_process = true,
          .ratio = {9, 9, 9},
          .different = true,
          .median_ns = median_ns,
          .stop = {}};
}

TEST(Calibration, APairIsJudgedAsARunWould) {
  // Let the 20 sorted ratios have the indices 0 to 19. The interval from index 5 to index 14
  // contains the median with 95.9 % probability. That is less than the 96 % of decision_level, so
  // the interval is from index 4 to index 15.
  std::vector<double> ratios;
  for (int i = 0; i < 20; ++i) ratios.push_back(1 + 0.01 * ((i * 7) % 20));
  const JudgedPair pair = judge_pair(measured_pair(PairKind::Slowed, ratios), 0.01);
  EXPECT_EQ(pair.kind, PairKind::Slowed);
  EXPECT_EQ(pair.seed, 7);
  EXPECT_NEAR(pair.ratio.value, std::sqrt(1.09 * 1.10), 1e-9);
  EXPECT_NEAR(pair.ratio.low, 1.04, 1e-9);
  EXPECT_NEAR(pair.ratio.high, 1.15, 1e-9);
  EXPECT_TRUE(pair.different);  // the interval at 95 % begins at 1.05
  EXPECT_EQ(pair.answer, Answer::Found);
  EXPECT_NEAR(pair.visible, 0.01 + std::sqrt(1.14 / 1.05) - 1, 1e-9);
  EXPECT_EQ(pair.median_ns, 1e6);
  EXPECT_EQ(pair.rounds, 20);
  EXPECT_EQ(pair.stop, Stop::Precision);
  EXPECT_FALSE(judge_pair(measured_pair(PairKind::Slowed, ratios), 0.06).different);
}

TEST(Calibration, AnAnswerToMoreWorkIsHeldToWhatWasPlanted) {
  EXPECT_EQ(answer_to(1.03, 1.07), Answer::Found);
  EXPECT_EQ(answer_to(0.99, 1.07), Answer::NotFound);
  EXPECT_EQ(answer_to(1.005, 1.0396), Answer::NotFound) << "reaches within 1 % of 1.05";
  EXPECT_EQ(answer_to(1.005, 1.039), Answer::WrongSize);
  EXPECT_EQ(answer_to(1.0604, 1.1), Answer::Found);
  EXPECT_EQ(answer_to(1.061, 1.1), Answer::WrongSize);
  EXPECT_EQ(answer_to(1.39, 1.42), Answer::WrongSize);
  EXPECT_EQ(answer_to(0.992, 1.0), Answer::WrongSize) << "not different";
  EXPECT_EQ(answer_to(0.95, 0.98), Answer::WrongWay);
  EXPECT_EQ(judge_pair(measured_pair(PairKind::Cached, std::vector<double>(20, 0.9)), 0.01).answer,
            std::nullopt);
}

TEST(Calibration, APairThatWasNotMeasuredIsFound) {
  MeasuredPair pair = measured_pair(PairKind::Identical, {1, 1, 1});
  pair.group.cases[1].status = Status::Skipped;
  pair.group.cases[1].reason = "needs 8 GB";
  ASSERT_NE(unmeasured(pair), nullptr);
  EXPECT_EQ(unmeasured(pair)->variant, "other");
  EXPECT_EQ(unmeasured(measured_pair(PairKind::Identical, {1, 1, 1})), nullptr);
}

TEST(Calibration, TheSummaryCountsWhatIsKnown) {
  const std::vector<JudgedPair> pairs{
      judged(PairKind::Identical, {1.00, 0.99, 1.01}, false, 0.021),
      judged(PairKind::Identical, {1.01, 1.001, 1.02}, false, 0.020),
      judged(PairKind::Identical, {0.97, 0.96, 0.98}, true, 0.022),
      judged(PairKind::Cached, {1.00, 0.97, 1.03}, false, 0.040),
      slowed(Answer::Found),
      slowed(Answer::NotFound),
      slowed(Answer::WrongSize),
      slowed(Answer::WrongWay),
      slowed(Answer::WrongWay)};
  const CalibrationSummary summary = summarize(pairs);
  EXPECT_EQ(summary.pairs, 4);
  EXPECT_EQ(summary.excluding_one, 2);
  EXPECT_EQ(summary.false_alarms, 1);
  EXPECT_EQ(summary.false_alarm.value, 0.25);
  EXPECT_NEAR(summary.false_alarm.low, 0.04559, 1e-5);  // Wilson's 95 % interval of 1 in 4
  EXPECT_NEAR(summary.false_alarm.high, 0.69936, 1e-5);
  EXPECT_EQ(summary.slowed_pairs, 5);
  EXPECT_EQ(summary.slowed_found, 1);
  EXPECT_EQ(summary.slowed_wrong_way, 2);
  EXPECT_EQ(summary.slowed_wrong_size, 1);
  EXPECT_DOUBLE_EQ(summary.visible, 0.0215);
  EXPECT_EQ(summary.between, std::nullopt);
  EXPECT_EQ(summary.between_differences, 0);
}

TEST(Calibration, FreshProcessesAreHeldAgainstTheOneBefore) {
  std::vector<JudgedPair> pairs{process(PairKind::Identical, 100), process(PairKind::Cached, 10)};
  EXPECT_EQ(summarize(pairs).between, std::nullopt);
  pairs.push_back(process(PairKind::Identical, 103));  // 3 % above the 100 of the process before
  pairs.push_back(process(PairKind::Cached, 9.9));     // 1 % below the 10
  EXPECT_NEAR(*summarize(pairs).between, 0.03, 1e-12);
  EXPECT_EQ(summarize(pairs).between_differences, 2);
  EXPECT_EQ(summarize(pairs).pairs, 0);
  // 19 processes differ from the process before by 1 %, one by 3 %, and one by 4 %. The 95th
  // percentile of these 21 differences is the 20th smallest.
  pairs = {process(PairKind::Cached, 100)};
  for (int i = 0; i < 19; ++i)
    pairs.push_back(process(PairKind::Cached, pairs.back().median_ns * 1.01));
  pairs.push_back(process(PairKind::Cached, pairs.back().median_ns * 0.97));
  pairs.push_back(process(PairKind::Cached, pairs.back().median_ns * 1.04));
  EXPECT_NEAR(*summarize(pairs).between, 0.03, 1e-12);
  EXPECT_EQ(summarize(pairs).between_differences, 21);
}

TEST(Calibration, BetweenIsKnownOfSixDifferences) {
  EXPECT_FALSE(knows_between(Json()));
  EXPECT_FALSE(knows_between({{"between", 0.01}})) << "of an older version";
  EXPECT_FALSE(knows_between({{"between", 0.01}, {"between_differences", 5}}));
  EXPECT_TRUE(knows_between({{"between", 0.01}, {"between_differences", 6}}));
}

TEST(Calibration, WhatIsSlowedIsTheSameLoopOverMoreElementsOfOneSource) {
  const Backends backends = make_backends();
  const Plan plan = make_plan("calibrate", calibration_config(Cache::Cold), backends, {});
  const auto& cases = plan.groups.at(group_of(plan, PairKind::Slowed)).cases;
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(inputs_key(cases[0]), inputs_key(cases[1]));
  ASSERT_EQ(cases[0].stages.size(), 1u);
  ASSERT_EQ(cases[1].stages.size(), 1u);
  EXPECT_EQ(cases[0].stages[0].kernel, cases[1].stages[0].kernel);
  EXPECT_DOUBLE_EQ(static_cast<double>(cases[1].result().bytes()) /
                       static_cast<double>(cases[0].result().bytes()),
                   kMoreWork);
}

TEST(Calibration, TheDocumentHoldsEveryPair) {
  const std::vector<JudgedPair> pairs{judged(PairKind::Identical, {1.00, 0.99, 1.01}, false)};
  const Json calibration =
      to_json(summarize(pairs), "2026-11-20T23:54:00Z", "AMD EPYC, 2 cores", 9);
  EXPECT_EQ(calibration.dump(),
            R"({"date":"2026-11-20T23:54:00Z","machine":"AMD EPYC, 2 cores","seconds":9.0,)"
            R"("pairs":1,"excluding_one":0,"false_alarms":0,"false_alarm_low":0.0,)"
            R"("false_alarm_high":)" +
                Json(wilson_interval(0, 1, 0.95).high).dump() +
                R"(,"slowed_pairs":0,"slowed_found":0,"slowed_wrong_way":0,"slowed_wrong_size":0,)"
                R"("visible":0.02,"between":null,"between_differences":0})");
  const Json document = calibration_document(calibration, pairs);
  EXPECT_EQ(document.at("calibration"), calibration);
  EXPECT_EQ(
      document.at("pairs").dump(),
      R"([{"kind":"identical","seed":0,"fresh_process":false,)"
      R"("ratio":{"value":1.0,"low":0.99,"high":1.01},"excludes_one":false,)"
      R"("different":false,"answer":null,"visible":0.02,"median_ns":0.0,"rounds":0,"stop":""}])");
}

}  // namespace
}  // namespace normbench::calibration_test
