#include "analysis/scaling.h"

#include <gmock/gmock.h>

#include "sweep_fixture.h"

namespace normbench::scaling_test {
namespace {

using sweeps::along_batch;
using sweeps::constant;
using sweeps::linear;
using testing::ElementsAre;

std::vector<std::string> shown(const Results& results) {
  std::vector<std::string> lines;
  const Experiment experiment = experiments(results).at(0);
  for (const AxisLine& line : axis_lines(experiment))
    for (const Unscaled& result : unscaled(experiment, line))
      lines.push_back(unscaled_text(line, result));
  return lines;
}

TEST(Unscaled, IsATimeThatStaysWhileTheBytesGrow) {
  EXPECT_THAT(
      shown(along_batch({1, 8, 64}, {{"follows", linear(0, 1)},
                                     {"stays", constant(3)},
                                     {"stays on no work", constant(3), 0},
                                     {"grows a little", linear(3, 0.02)}})),
      ElementsAre(
          "Does not scale: stays takes no longer at batch 64 than at 1, for 64.0x the bytes; it "
          "measured something else, or a fixed cost of 3.0 ms bounds it"));
}

TEST(Unscaled, AllowsLessGrowthForLessWork) {
  // Twice the bytes: less than 10 % longer; four times and more: less than 25 %.
  EXPECT_EQ(shown(along_batch({1, 2}, {{"a", linear(0.95, 0.05)}})).size(), 1u);
  EXPECT_EQ(shown(along_batch({1, 2}, {{"a", linear(0.85, 0.15)}})).size(), 0u);
  EXPECT_EQ(shown(along_batch({1, 4}, {{"a", linear(0.95, 0.05)}})).size(), 1u);
  EXPECT_EQ(shown(along_batch({1, 64}, {{"a", linear(0.995, 0.005)}})).size(), 0u);
  EXPECT_EQ(shown(along_batch({10, 19}, {{"a", constant(1)}})).size(), 0u);  // not twice
}

TEST(Unscaled, NeedsIntervalsThatShowIt) {
  Results results = along_batch({1, 64}, {{"a", constant(3)}});
  for (std::size_t i = 0; i < 10; ++i) results.groups[0].cases[0].rounds[i].wall_ns = 1'500'000;
  EXPECT_THAT(shown(results), ElementsAre());
}

TEST(EmptyInputs, NameWhatHadNone) {
  Results results = along_batch({1, 8}, {{"full", linear(0, 1)}, {"a, b", linear(0, 1)}});
  results.groups[1].cases[1].images = 0;
  results.groups[1].cases[1].source_bytes = 0;
  EXPECT_THAT(
      empty_inputs(experiments(results).at(0)),
      ElementsAre("No input: \"a, b\" at batch=8 (0 images, 0 B), so its time means nothing"));
  results.groups[1].cases[1].status = Status::Skipped;
  EXPECT_THAT(empty_inputs(experiments(results).at(0)), ElementsAre());
}

TEST(VerdictLines, HaveAtMostThreeSentencesOfTheAxes) {
  const Results results = along_batch(
      {1, 8, 64}, {{"base", linear(0, 2)}, {"stays", constant(3)}, {"line", linear(0.5, 1)}});
  const std::vector<std::string> lines = verdict_lines(experiments(results).at(0));
  EXPECT_THAT(
      lines,
      testing::Contains(
          "Does not scale: stays takes no longer at batch 64 than at 1, for 64.0x the bytes; it "
          "measured something else, or a fixed cost of 3.0 ms bounds it."));
  EXPECT_THAT(lines, testing::Contains("From batch 8 on, stays wins: it overtakes line between 1 "
                                       "and 8."));
}

}  // namespace
}  // namespace normbench::scaling_test
