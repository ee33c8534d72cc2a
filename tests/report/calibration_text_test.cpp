#include "report/calibration_text.h"

#include <gtest/gtest.h>

namespace normbench::calibration_text_test {
namespace {

JudgedPair judged(PairKind kind, Interval ratio, bool different) {
  return {.kind = kind,
          .ratio = ratio,
          .different = different,
          .visible = 0.02,
          .rounds = 40,
          .stop = {}};
}

TEST(CalibrationText, ARowPerKindThenWhatFollows) {
  const std::vector<JudgedPair> pairs{judged(PairKind::Identical, {1.001, 0.99, 1.01}, false),
                                      judged(PairKind::Identical, {1.003, 1.001, 1.02}, false),
                                      judged(PairKind::Slowed, {1.05, 1.04, 1.06}, true)};
  const Json calibration =
      to_json(summarize(pairs), "2026-11-20T23:54:00Z", "AMD EPYC, 2 cores", 9);
  EXPECT_EQ(calibration_text(calibration, pairs),
            "AMD EPYC, 2 cores: 3 pairs in 9 s\n"
            "  pairs                        n  rounds   ratio      ±  exclude 1  called different\n"
            "  identical, 16x3x480x640      2      40  1.0020  1.0 %          1                 0\n"
            "  5 % more work, 16x3x480x640  1      40  1.0500  1.0 %          1                 1\n"
            "  Identical code called different: 0 of 2 (Wilson 95 %: 0.0 %-66 %).\n"
            "  Intervals of identical code that exclude 1: 1 of 2 (at most 5 % expected).\n"
            "  5 % more work found: 1 of 1.\n"
            "  Smallest difference that one such run shows here: 2.0 %.\n"
            "  Too few pairs to say how much fresh processes differ.\n");
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
                            {"slowed_found", 19},
                            {"visible", 0.021},
                            {"between", 0.013}}),
      "calibrated 2026-11-20T23:54:00Z: identical code called different in 1 of 40 pairs, 5 % "
      "more work found in 19 of 20; visible in one run 2.1 %, between processes 1.3 %\n");
  EXPECT_EQ(
      calibration_line(Json{{"between", nullptr}}),
      "calibrated ?: identical code called different in 0 of 0 pairs, 5 % more work found in 0 "
      "of 0; visible in one run ?, between processes ?\n");
}

}  // namespace
}  // namespace normbench::calibration_text_test
