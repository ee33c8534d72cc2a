#include "report/calibration_text.h"

#include <gmock/gmock.h>

namespace normbench::calibration_text_test {
namespace {

JudgedPair judged(PairKind kind, Interval ratio, bool different,
                  std::optional<Answer> answer = {}) {
  return {.kind = kind,
          .ratio = ratio,
          .different = different,
          .answer = answer,
          .visible = 0.02,
          .rounds = 40,
          .stop = {}};
}

TEST(CalibrationText, ARowPerKindThenWhatFollows) {
  const std::vector<JudgedPair> pairs{
      judged(PairKind::Identical, {1.001, 0.99, 1.01}, false),
      judged(PairKind::Identical, {1.003, 1.001, 1.02}, false),
      judged(PairKind::Slowed, {1.05, 1.04, 1.06}, true, Answer::Found)};
  const Json calibration =
      to_json(summarize(pairs), "2026-11-20T23:54:00Z", "AMD EPYC, 2 cores", 9);
  EXPECT_EQ(calibration_text(calibration, pairs),
            "AMD EPYC, 2 cores: 3 pairs in 9 s\n"
            "  pairs                       n  rounds   ratio      ±  exclude 1  called different\n"
            "  identical, 16x3x480x640     2      40  1.0020  1.0 %          1                 0\n"
            "  5 % more work, 80x3x96x640  1      40  1.0500  1.0 %          1                 1\n"
            "  Identical code called different: 0 of 2 (Wilson 95 %: 0.0 %-66 %).\n"
            "  Intervals of identical code that exclude 1: 1 of 2 (at most 5 % expected).\n"
            "  5 % more work: found 1 of 1, called faster 0, of a wrong size 0.\n"
            "  Smallest difference that one such run shows here: 2.0 %.\n"
            "  Too few pairs to say how much fresh processes differ.\n");
}

/// Returns the calibration text from "5 % more work" to its end.
std::string end_of_text(const CalibrationSummary& summary) {
  const std::string text = calibration_text(to_json(summary, "2026-11-20", "EPYC", 9), {});
  return text.substr(text.find("  5 % more work"));
}

TEST(CalibrationText, WrongAnswersAreCountedAndFewDifferencesSaid) {
  CalibrationSummary summary{.false_alarm = {},
                             .slowed_pairs = 20,
                             .slowed_found = 17,
                             .slowed_wrong_way = 2,
                             .slowed_wrong_size = 1,
                             .visible = 0.02,
                             .between = 0.028,
                             .between_differences = 2};
  EXPECT_EQ(end_of_text(summary),
            "  5 % more work: found 17 of 20, called faster 2, of a wrong size 1.\n"
            "  Smallest difference that one such run shows here: 2.0 %.\n"
            "  Identical code differed by up to 2.8 % between fresh processes, of 2 differences: "
            "too few to lower\n"
            "    a margin, which takes 6.\n");
  summary.between_differences = 6;
  EXPECT_THAT(end_of_text(summary),
              testing::EndsWith("  Identical code differed by up to 2.8 % between fresh processes, "
                                "of 6 differences.\n"));
}

TEST(CalibrationText, APairThatWasNotMeasuredSaysWhy) {
  MeasuredPair pair;
  for (const char* name : {"one", "other"}) {
    CaseResult& one = pair.group.cases.emplace_back();
    one.variant = name;
    one.iterations = 1;
    one.rounds.emplace_back();
  }
  EXPECT_EQ(unmeasured_text(pair), "");
  pair.group.cases[1].status = Status::Skipped;
  pair.group.cases[1].reason = "needs 8 GB";
  EXPECT_EQ(unmeasured_text(pair), "\"other\" of the identical pair was not measured: needs 8 GB");
}

TEST(CalibrationText, OneLineForDocuments) {
  EXPECT_EQ(calibration_line(Json()), "");
  EXPECT_EQ(
      calibration_line(Json{{"date", "2026-11-20T23:54:00Z"},
                            {"pairs", 40},
                            {"false_alarms", 1},
                            {"slowed_pairs", 20},
                            {"slowed_found", 17},
                            {"slowed_wrong_way", 2},
                            {"slowed_wrong_size", 1},
                            {"visible", 0.021},
                            {"between", 0.013},
                            {"between_differences", 8}}),
      "calibrated 2026-11-20T23:54:00Z: identical code called different in 1 of 40 pairs; 5 % more "
      "work found in 17 of 20, called faster in 2, of a wrong size in 1; visible in one run 2.1 %, "
      "between processes 1.3 %\n");
}

TEST(CalibrationText, OfAnOlderOneWhatItsPlantedDifferenceWasIsLeftOut) {
  EXPECT_EQ(calibration_line(Json{{"date", "2026-11-20T23:54:00Z"},
                                  {"pairs", 40},
                                  {"false_alarms", 1},
                                  {"slowed_pairs", 20},
                                  {"slowed_found", 19},
                                  {"visible", 0.021},
                                  {"between", 0.013}}),
            "calibrated 2026-11-20T23:54:00Z: identical code called different in 1 of 40 pairs; "
            "visible in one run 2.1 %, between processes 1.3 % (not known well enough to lower a "
            "margin)\n");
  EXPECT_EQ(calibration_line(Json{{"between", nullptr}}),
            "calibrated ?: identical code called different in 0 of 0 pairs; visible in one run ?, "
            "between processes ? (not known well enough to lower a margin)\n");
}

}  // namespace
}  // namespace normbench::calibration_text_test
