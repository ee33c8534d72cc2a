#include <gmock/gmock.h>

#include "report/evidence_tables.h"

namespace normbench::noise_table_test {
namespace {

TEST(NoiseTable, ARowPerMeasuredCaseThenWhatDependsOnDisturbedRounds) {
  GroupResult group;
  group.cases.resize(3);
  group.cases[0].variant = "quiet";
  group.cases[1].variant = "skipped";
  group.cases[2].variant = "send: noisy";
  GroupAnalysis analysis;
  analysis.noise.resize(3);
  analysis.noise[0].rounds = 20;
  analysis.noise[2] = {
      .rounds = 40,
      .counters = {.major_faults = 1, .voluntary_switches = 1200, .involuntary_switches = 7},
      .frequency_khz = 2'300'000,
      .frequency_spread = 0.03,
      .steal_share = 0.02,
      .throttled_share = 0.11,
      .flagged = {{Flag::Preempted, {5}}, {Flag::Stolen, {3, 5}}},
      .disturbed = {3, 5},
      .autocorrelation = 0.234,
      .drift = Interval{1.04, 1.02, 1.06},
      .drifts = true,
      .undisturbed = Interval{1.2, 1.1, 1.3},
      .sensitive = true};
  EXPECT_EQ(
      noise_table(group, analysis),
      "  variant      rounds  disturbed                  voluntary  involuntary  major faults  "
      "    MHz (span)  stolen  throttled  lag-1            last/first third\n"
      "  quiet            20  0                                  0            0             0  "
      "                 0.0 %      0.0 %   0.00\n"
      "  send: noisy      40  2 (stolen 2, preempted 1)      1,200            7             1  "
      "2,300 (±1.5 %)   2.0 %       11 %   0.23  1.040 (1.020-1.060) drifts\n"
      "  \"send: noisy\": without disturbed rounds its time/baseline is 1.200 (1.100-1.300)\n");
}

TEST(GpuDayCutBlock, IsToldBelowTheTable) {
  GroupResult group;
  group.cases.resize(1);
  GroupAnalysis analysis;
  analysis.noise.resize(1);
  analysis.noise[0].rounds = 15;
  group.cut_order = {{0}};
  EXPECT_THAT(noise_table(group, analysis),
              testing::EndsWith(
                  "  The time was over within a block: 1 round of it is kept and not used.\n"));
  group.cut_order = {{0}, {0}, {0}};
  EXPECT_THAT(noise_table(group, analysis),
              testing::EndsWith(
                  "  The time was over within a block: 3 rounds of it are kept and not used.\n"));
}

}  // namespace
}  // namespace normbench::noise_table_test
