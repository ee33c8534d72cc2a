#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/analysis.h"
#include "document/held_up.h"
#include "example_results.h"

namespace normbench::busy_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kOne = 1;  // index of case "one" in examples::tie(); case 0, "slow", is the baseline

Round round_of(std::int64_t wall_ns, std::int64_t cpu_ns, std::int64_t queued_ns) {
  Round round;
  round.wall_ns = wall_ns;
  round.cpu_ns = cpu_ns;
  round.queued_ns = queued_ns;
  return round;
}

StageResult stage_of(const std::string& op, Place place) {
  StageResult stage;
  stage.op = op;
  stage.place = place;
  return stage;
}

GroupResult& group_of(Results& results) { return results.groups[0]; }

/// Makes the first `rounds` rounds longer, as if other processes had used the CPU for `share` of
/// the new wall time.
void hold_up(CaseResult& result, std::size_t rounds, double share) {
  for (std::size_t i = 0; i < rounds; ++i) {
    Round& round = result.rounds[i];
    const auto own = static_cast<double>(round.wall_ns);
    round.cpu_ns = round.wall_ns;
    round.wall_ns = static_cast<std::int64_t>(own / (1 - share));
    round.queued_ns = round.wall_ns - round.cpu_ns;
  }
}

TEST(HeldUp, IsTheShareThatAThreadWaited) {
  CaseResult result;
  result.threads = 2;
  EXPECT_DOUBLE_EQ(others_share(result, round_of(100, 0, 20)), 0.2);
  EXPECT_EQ(others_share(result, {}), 0);
  EXPECT_TRUE(is_held_up(result, round_of(100, 0, 3), DecidingClock::Wall));
  EXPECT_FALSE(is_held_up(result, round_of(100, 0, 2), DecidingClock::Wall));
  Round on_device = round_of(100, 0, 60);
  on_device.device_ns = 50;
  EXPECT_FALSE(is_held_up(result, on_device, DecidingClock::Device));
  EXPECT_TRUE(is_held_up(result, on_device, DecidingClock::Wall));
}

TEST(HeldUp, IsWhatTheCpusClockLeavesOfACaseThatNeverBlocks) {
  const Round half = round_of(100, 50, 0);
  CaseResult result;
  EXPECT_DOUBLE_EQ(others_share(result, half), 0.5);
  EXPECT_EQ(others_share(result, round_of(100, 0, 0)), 0);  // a CPU time of 0: unknown
  result.threads = 2;
  EXPECT_EQ(others_share(result, half), 0);
  result.threads = 1;
  result.peer = "torch";
  EXPECT_EQ(others_share(result, half), 0);
  result.peer = "";
  result.stages = {stage_of("load", Place::Cpu)};
  EXPECT_EQ(others_share(result, half), 0);
  result.stages = {stage_of("cast", Place::Cuda)};
  EXPECT_EQ(others_share(result, half), 0);
}

TEST(Busy, RoundsThatAreHeldUpMoveNoRatio) {
  Results results = examples::tie();
  const double before = analyse(group_of(results), results).cases[kOne].ratio->value;
  hold_up(group_of(results).cases[0], 10, 0.9);
  const GroupAnalysis analysis = analyse(group_of(results), results);
  EXPECT_FALSE(analysis.busy);
  EXPECT_THAT(analysis.cases[kOne].ratio->value, DoubleNear(before, 0.01));
  EXPECT_EQ(analysis.noise[0].flagged.at(Flag::HeldUp).size(), 10);
}

TEST(Busy, RanksNothingWhereTooFewRoundsWereLeftAlone) {
  Results results = examples::tie();
  const double before = analyse(group_of(results), results).cases[kOne].ratio->value;
  CaseResult& baseline = group_of(results).cases[0];
  hold_up(baseline, baseline.rounds.size() - 2, 0.9);
  const GroupAnalysis analysis = analyse(group_of(results), results);
  ASSERT_TRUE(analysis.busy);
  EXPECT_THAT(analysis.busy->cases, ElementsAre(0));
  EXPECT_NEAR(analysis.busy->share, 0.9, 0.01);
  EXPECT_EQ(analysis.verdict.outcome, Outcome::Busy);
  EXPECT_EQ(analysis.verdict.winner, "");
  EXPECT_FALSE(analysis.cases[kOne].ratio);
  EXPECT_TRUE(analysis.quality.noisy);
  ASSERT_EQ(analysis.busy->by_cpu.size(), 2);
  EXPECT_EQ(analysis.busy->by_cpu[0].index, kOne);
  EXPECT_NEAR(analysis.busy->by_cpu[0].ratio.value, before, 0.01);
}

TEST(Busy, AreCasesThatShareTooFewRoundsThatWereLeftAlone) {
  Results results = examples::tie();
  std::vector<CaseResult>& cases = group_of(results).cases;
  const std::size_t half = cases[0].rounds.size() / 2;
  hold_up(cases[0], half, 0.5);
  std::ranges::reverse(cases[0].rounds);  // now the second half is held up
  hold_up(cases[kOne], half, 0.5);
  const GroupAnalysis analysis = analyse(group_of(results), results);
  ASSERT_TRUE(analysis.busy);
  EXPECT_THAT(analysis.busy->cases, ElementsAre(0, kOne));
  EXPECT_EQ(analysis.verdict.outcome, Outcome::Busy);
  EXPECT_FALSE(analysis.cases[kOne].ratio);
  EXPECT_TRUE(analysis.pairs.empty());  // pairs with a busy case are left out
}

TEST(Busy, CountsOnlyRoundsThatWereLeftAlone) {
  Results results = examples::tie();
  CaseResult& baseline = group_of(results).cases[0];
  const auto all = static_cast<int>(baseline.rounds.size());
  EXPECT_EQ(Pairs(MeasuredGroup(group_of(results), results)).of(0, 1)->rounds, all);
  hold_up(baseline, 10, 0.5);
  EXPECT_EQ(Pairs(MeasuredGroup(group_of(results), results)).of(0, 1)->rounds, all - 10);
}

TEST(Busy, AreFewRoundsThatWereAllHeldUp) {
  Results results = examples::tie();
  CaseResult& baseline = group_of(results).cases[0];
  baseline.rounds.resize(3);
  hold_up(baseline, 3, 0.5);
  EXPECT_TRUE(is_busy(baseline, DecidingClock::Wall));
  EXPECT_EQ(analyse(group_of(results), results).verdict.outcome, Outcome::Busy);
  EXPECT_FALSE(is_busy(CaseResult{}, DecidingClock::Wall));
}

TEST(Busy, HasNoCpuRatioOfCasesThatMayBlock) {
  Results results = examples::tie();
  CaseResult& baseline = group_of(results).cases[0];
  hold_up(baseline, baseline.rounds.size(), 0.5);
  baseline.threads = 2;
  const GroupAnalysis analysis = analyse(group_of(results), results);
  ASSERT_TRUE(analysis.busy);
  EXPECT_THAT(analysis.busy->by_cpu, IsEmpty());
}

}  // namespace
}  // namespace normbench::busy_test
