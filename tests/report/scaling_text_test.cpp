#include <gmock/gmock.h>

#include "report/sweep_text.h"
#include "sweep_fixture.h"

namespace normbench::scaling_text_test {
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

std::vector<std::string> empty(const Results& results) {
  std::vector<std::string> lines;
  const Experiment experiment = experiments(results).at(0);
  for (const EmptyInput& one : empty_inputs(experiment))
    lines.push_back(empty_input_text(experiment, one));
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
          "measured something else, or a fixed cost of 3.00 ms bounds it"));
}

TEST(Unscaled, AllowsLessGrowthForLessWork) {
  // A time counts as unscaled if its relative growth is less than 25 % and less than a tenth of the
  // bytes' relative growth.
  EXPECT_EQ(shown(along_batch({1, 2}, {{"a", linear(0.95, 0.05)}})).size(), 1u);
  EXPECT_EQ(shown(along_batch({1, 2}, {{"a", linear(0.85, 0.15)}})).size(), 0u);
  EXPECT_EQ(shown(along_batch({1, 4}, {{"a", linear(0.95, 0.05)}})).size(), 1u);
  EXPECT_EQ(shown(along_batch({1, 64}, {{"a", linear(0.995, 0.005)}})).size(), 0u);
  EXPECT_EQ(shown(along_batch({10, 19}, {{"a", constant(1)}})).size(), 0u);  // bytes do not double
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
      empty(results),
      ElementsAre("No input: \"a, b\" at batch=8 (0 images, 0 B), so its time means nothing"));
  results.groups[1].cases[1].status = Status::Skipped;
  EXPECT_THAT(empty(results), ElementsAre());
}

TEST(EmptyInputs, ALoadReadsTheBytesOfItsFiles) {
  Results results = along_batch({5}, {{"load", linear(0, 1)}});
  CaseResult& load = results.groups[0].cases[0];
  load.stages[0].op = "load";
  load.source.reset();
  load.source_bytes = 0;
  EXPECT_THAT(empty(results), ElementsAre());
  load.images = 0;
  EXPECT_EQ(empty(results).size(), 1u);
}

TEST(VerdictLines, HaveAtMostThreeSentencesOfTheAxes) {
  const Results results = along_batch(
      {1, 8, 64}, {{"base", linear(0, 2)}, {"stays", constant(3)}, {"line", linear(0.5, 1)}});
  const std::vector<std::string> lines = verdict_lines(experiments(results).at(0), results);
  EXPECT_THAT(
      lines,
      testing::Contains(
          "Does not scale: stays takes no longer at batch 64 than at 1, for 64.0x the bytes; it "
          "measured something else, or a fixed cost of 3.00 ms bounds it."));
  EXPECT_THAT(lines, testing::Contains("From batch 8 on, stays wins: it overtakes line between 1 "
                                       "and 8."));
}

TEST(FitText, NamesTheAxis) {
  AxisLine line{.axis = "batch", .fixed = {}, .points = {{0, 1, 1}, {1, 64, 64}}};
  const AxisFit fit{.variant = "u8, fused",
                    .points = 3,
                    .fitted = {.fixed_ns = 2e6, .ns_per_byte = 0.1, .worst = 0.01},
                    .amount90 = 179.2,
                    .explains = true};
  EXPECT_EQ(fit_text(line, fit),
            "Fixed cost of \"u8, fused\": 2.00 ms; then 10.0 GB/s, 90 % of it from batch 180 on");
  line.points = {{0, {4, 4}, 16}, {1, {8, 8}, 64}};
  line.axis = "size";
  line.fixed = {{"threads", 2}};
  EXPECT_EQ(fit_text(line, fit),
            "Fixed cost of \"u8, fused\" at threads=2: 2.00 ms; then 10.0 GB/s, 90 % of it from 180 "
            "pixels on");
  line.points[0].amount = 200;
  EXPECT_EQ(fit_text(line, fit), "");  // 90 % of the rate is reached at every point
}

}  // namespace
}  // namespace normbench::scaling_text_test
