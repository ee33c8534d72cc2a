#include <gmock/gmock.h>

#include "report/sweep_text.h"
#include "sweep_fixture.h"

namespace normbench::crossover_text_test {
namespace {

using sweeps::along_batch;
using sweeps::constant;
using sweeps::linear;
using testing::ElementsAre;

/// Returns a text for every variant that is compared with the baseline, like "b: from 8 on (between
/// 4 and 8)".
std::vector<std::string> shown(const Results& results) {
  std::vector<std::string> lines;
  const Experiment experiment = experiments(results).at(0);
  for (const AxisLine& line : axis_lines(experiment))
    for (const Crossing& crossing : crossings(experiment, line))
      lines.push_back(crossing.b + ": " + crossing_text(crossing));
  return lines;
}

std::vector<std::string> changes(const Results& results) {
  std::vector<std::string> lines;
  const Experiment experiment = experiments(results).at(0);
  for (const AxisLine& line : axis_lines(experiment))
    for (const Overtaking& change : winner_changes(experiment, line))
      lines.push_back(overtaking_text(line, change));
  return lines;
}

TEST(Crossings, LieBetweenTheLastAndTheFirstPointBeyondDoubt) {
  // "cpu" takes n ms, and "gpu" takes 3 + n/2 ms, so "gpu" is faster if n > 6.
  const std::vector<sweeps::Curve> curves{{"cpu", linear(0, 1)}, {"gpu", linear(3, 0.5)}};
  EXPECT_THAT(shown(along_batch({1, 2, 4, 8, 64}, curves)),
              ElementsAre("gpu: from 8 on (between 4 and 8)"));
  // At 6 both variants take 6 ms, so no change is found there.
  EXPECT_THAT(shown(along_batch({4, 6, 8}, curves)),
              ElementsAre("gpu: from 8 on (between 4 and 8)"));
}

TEST(Crossings, SayNeverAndAlways) {
  EXPECT_THAT(
      shown(along_batch({1, 8, 64}, {{"base", linear(0, 2)},
                                     {"slow", linear(1, 3)},
                                     {"fast", linear(0, 1)},
                                     {"equal", linear(0, 2)},
                                     {"late", [](double n) { return n < 64 ? 2 * n : n; }}})),
      ElementsAre("slow: never, up to 64", "fast: at all 3 points",
                  "equal: not beyond doubt, up to 64", "late: at 1 of 3 points, never slower"));
}

TEST(Crossings, TellEveryChange) {
  EXPECT_THAT(shown(along_batch({1, 8, 64}, {{"base", constant(2)},
                                             {"hill", [](double n) { return n == 8 ? 1 : 3; }}})),
              ElementsAre("hill: from 8 on (between 1 and 8); no longer from 64 on (between 8 and "
                          "64)"));
}

TEST(Crossings, NeedTwoPointsWhereBothWereMeasured) {
  Results results = along_batch({1, 8}, {{"base", linear(0, 2)}, {"fast", linear(0, 1)}});
  CaseResult& fast = results.groups[1].cases[1];
  fast.status = Status::Skipped;
  fast.rounds.clear();
  EXPECT_THAT(shown(results), ElementsAre());
}

TEST(WinnerChanges, NameWhoOvertakesWhom) {
  const std::vector<sweeps::Curve> curves{
      {"slow", linear(0, 9)}, {"cpu", linear(0, 1)}, {"gpu", linear(3, 0.5)}};
  EXPECT_THAT(changes(along_batch({1, 4, 6, 8, 64}, curves)),
              ElementsAre("From batch 8 on, gpu wins: it overtakes cpu between 4 and 8"));
  EXPECT_THAT(changes(along_batch({8, 64}, curves)), ElementsAre());
}

}  // namespace
}  // namespace normbench::crossover_text_test
