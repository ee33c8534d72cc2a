#include "analysis/compare/compare.h"

#include <gmock/gmock.h>

#include <cmath>

#include "analysis/compare/effect.h"
#include "compared.h"

namespace normbench::compare_test {
namespace {

using examples::Pairs;
using examples::timed_pairs;
using examples::timed_run;
using testing::ElementsAre;
using testing::IsEmpty;

Comparison compare_pairs_of(const Pairs& pairs, std::optional<double> margin = {}) {
  return compare(pairs.base, pairs.now, margin);
}

/// Compares pairs of runs that have one case, and returns this case. `ratios` has one value for
/// each pair: the time of NEW divided by the time of BASE.
ComparedCase only_case(const std::vector<double>& ratios, std::optional<double> margin = {}) {
  const Comparison comparison = compare_pairs_of(timed_pairs({{"fused", ratios}}), margin);
  EXPECT_EQ(comparison.cases.size(), 1u);
  return comparison.cases.at(0);
}

std::vector<double> always(double ratio, int pairs = 10) {
  return std::vector<double>(static_cast<std::size_t>(pairs), ratio);
}

TEST(Compare, TenPairsGiveTheMedianAndTheSecondFromEitherEnd) {
  // P(at most 1 of 10 values is below the median) = 11/1024 < 2.5 %, but P(at most 2) = 56/1024. So
  // the interval at 95 % begins at the second smallest ratio.
  const ComparedCase one = only_case({1.10, 1.01, 1.12, 1.04, 1.07, 1.05, 1.08, 1.06, 1.09, 1.03});
  ASSERT_TRUE(one.ratio && one.visible);
  EXPECT_NEAR(one.ratio->value, std::sqrt(1.06 * 1.07), 1e-6);
  EXPECT_NEAR(one.ratio->low, 1.03, 1e-6);
  EXPECT_NEAR(one.ratio->high, 1.10, 1e-6);
  EXPECT_NEAR(*one.visible, 0.02 + std::sqrt(1.10 / 1.03) - 1, 1e-6);
  EXPECT_EQ(one.replicates, 10);
  EXPECT_EQ(one.change, Change::Regressed);
  // There are 1024 ways to swap BASE and NEW in some of the pairs. The slowdown is at least the
  // measured one in 3 of them: if no pair is swapped, if only the pair with 1.01 is swapped, and if
  // only the pairs with 1.01 and 1.03 are swapped.
  EXPECT_DOUBLE_EQ(one.p_value, 3.0 / 1024);
  EXPECT_TRUE(one.certain);
  EXPECT_DOUBLE_EQ(*one.base_ns, 1'004'500);
}

TEST(Compare, FourVerdicts) {
  EXPECT_EQ(only_case(always(1.05)).change, Change::Regressed);
  EXPECT_EQ(only_case(always(0.95)).change, Change::Improved);
  EXPECT_EQ(only_case(always(1.01)).change, Change::Same);
  EXPECT_EQ(only_case(always(0.985)).change, Change::Same);
  const std::vector<double> wide{0.97, 0.97, 0.97, 1, 1, 1, 1, 1.05, 1.05, 1.05};
  EXPECT_EQ(only_case(wide).change, Change::Inconclusive);
  EXPECT_EQ(only_case(always(1.05), 0.1).change, Change::Same);
  EXPECT_EQ(only_case(always(1.01), 0.001).change, Change::Regressed);
}

TEST(Compare, TheIntervalMustClearTheMarginNotOnlyOne) {
  const std::vector<double> beyond_one{1.01, 1.01, 1.03, 1.03, 1.03, 1.03, 1.03, 1.03, 1.03, 1.03};
  const ComparedCase one = only_case(beyond_one);
  EXPECT_EQ(one.change, Change::Inconclusive);
  EXPECT_FALSE(one.certain);
}

TEST(Compare, RunsThatOthersHeldUpAreNoSlowerCode) {
  auto pairs = timed_pairs({{"fused", always(1.4, 6)}});
  for (Results& run : pairs.now)
    for (Round& round : run.groups[0].cases[0].rounds) {
      round.queued_ns = round.wall_ns * 2 / 7;
      round.cpu_ns = round.wall_ns - round.queued_ns;
    }
  const Comparison comparison = compare_pairs_of(pairs);
  EXPECT_EQ(comparison.cases.at(0).change, Change::Inconclusive);
  EXPECT_EQ(comparison.cases.at(0).why, NoVerdict::NotMeasured);
  EXPECT_EQ(gate(comparison), Gate::Undecided);
}

TEST(Compare, ASingleRunThatOthersHeldUpIsNotMeasured) {
  const std::vector<std::int64_t> rounds(20, 1'000'000);
  Results held_up = timed_run({{"fused", rounds}}, 1);
  for (Round& round : held_up.groups[0].cases[0].rounds) {
    round.queued_ns = round.wall_ns / 2;
    round.cpu_ns = round.wall_ns / 2;
  }
  const Results quiet = timed_run({{"fused", rounds}});
  const ComparedCase now = compare({quiet}, {held_up}, {}).cases.at(0);
  EXPECT_EQ(now.why, NoVerdict::NotMeasured);
  EXPECT_EQ(now.base_ns, 1'000'000);
  EXPECT_EQ(now.now_ns, std::nullopt);
  const ComparedCase base = compare({held_up}, {quiet}, {}).cases.at(0);
  EXPECT_EQ(base.why, NoVerdict::NotMeasured);
  EXPECT_EQ(base.base_ns, std::nullopt);
  EXPECT_EQ(base.now_ns, 1'000'000);
}

TEST(Compare, SixPairsDecideOverHoweverManyCases) {
  // There are 64 ways to swap BASE and NEW in some of the 6 pairs. Only the way that swaps no pair
  // has a slowdown as large as the measured one, so the p-value is 1/64. Cases with the verdict
  // Same do not change it.
  std::vector<examples::RatioCase> cases{{"slower", always(1.1, 6)}};
  EXPECT_DOUBLE_EQ(compare_pairs_of(timed_pairs(cases)).cases[0].p_value, 1.0 / 64);
  for (int i = 0; i < 39; ++i) cases.push_back({"same " + std::to_string(i), always(1, 6)});
  const Comparison comparison = compare_pairs_of(timed_pairs(cases));
  EXPECT_EQ(comparison.cases[0].name.variant, "slower");
  EXPECT_DOUBLE_EQ(comparison.cases[0].p_value, 1.0 / 64);
  EXPECT_TRUE(comparison.cases[0].certain);
  EXPECT_EQ(count(comparison, Change::Same), 39);
  EXPECT_EQ(gate(comparison), Gate::Regressed);
  EXPECT_THAT(comparison.cautions, IsEmpty());
}

TEST(Compare, OnePairThatIsFarSlowerLeavesDoubtBesideANoisyCase) {
  // There are 64 ways to swap BASE and NEW in some of the 6 pairs. In 8 of them, the slowdown of
  // "a" or of "b" is at least the measured slowdown of "a". One of the 8 ways swaps no pair. The
  // other 7 ways make "b" slower in at least 5 of the 6 pairs.
  const Comparison comparison = compare_pairs_of(timed_pairs(
      {{"a", {1.03, 1.03, 1.04, 1.03, 1.05, 2}}, {"b", {0.93, 1.12, 0.93, 1.12, 0.93, 1.12}}}));
  EXPECT_DOUBLE_EQ(comparison.cases[0].p_value, 8.0 / 64);
  EXPECT_EQ(comparison.cases[0].change, Change::Regressed);
  EXPECT_FALSE(comparison.cases[0].certain);
  EXPECT_EQ(gate(comparison), Gate::Undecided);
}

TEST(Compare, TheWorstIsFirst) {
  const Comparison comparison = compare_pairs_of(timed_pairs({{"same", always(1)},
                                                              {"slower", always(1.05)},
                                                              {"faster", always(0.9)},
                                                              {"slowest", always(1.3)}}));
  std::vector<std::string> names;
  for (const ComparedCase& one : comparison.cases) names.push_back(one.name.variant);
  EXPECT_THAT(names, ElementsAre("slowest", "slower", "faster", "same"));
}

TEST(Compare, ThreeHundredRegressions) {
  std::vector<examples::RatioCase> cases;
  for (int i = 0; i < 300; ++i) cases.push_back({"case " + std::to_string(i), always(1.1, 16)});
  const Comparison comparison = compare_pairs_of(timed_pairs(cases));
  EXPECT_EQ(count(comparison, Change::Regressed), 300);
  EXPECT_EQ(gate(comparison), Gate::Regressed);
}

/// Returns 91, 110, 92, 109, ..., 100, 101 thousand ns, times `factor`. Values alternate between
/// small and large ones. So neighbouring rounds are not alike, and each round counts as an
/// independent replicate.
std::vector<std::int64_t> twenty_rounds(double factor) {
  std::vector<std::int64_t> rounds;
  for (int i = 0; i < 10; ++i) {
    rounds.push_back(std::llround(factor * 1000 * (91 + i)));
    rounds.push_back(std::llround(factor * 1000 * (110 - i)));
  }
  return rounds;
}

TEST(Compare, OneRunASideLetsTheRoundsDecideButNotBeyondDoubt) {
  const Comparison comparison = compare({timed_run({{"fused", twenty_rounds(1)}})},
                                        {timed_run({{"fused", twenty_rounds(2)}}, 1)}, {});
  EXPECT_FALSE(comparison.run_pairs);
  EXPECT_DOUBLE_EQ(comparison.margin.value, 0.05);
  ASSERT_EQ(comparison.cautions.size(), 1u);
  EXPECT_EQ(std::get<caution::FewRuns>(comparison.cautions[0]).pairs, 1);
  const ComparedCase& one = comparison.cases.at(0);
  // The median of each side has an interval at 97.5 %. P(at most 4 of 20 values are below the
  // median) = 0.6 % < 1.25 %, but P(at most 5) = 2.1 %. So the interval is from the fifth smallest
  // to the fifth largest value.
  EXPECT_DOUBLE_EQ(one.ratio->value, 2);
  EXPECT_DOUBLE_EQ(one.ratio->low, 2 * 95.0 / 106);
  EXPECT_DOUBLE_EQ(one.ratio->high, 2 * 106.0 / 95);
  EXPECT_EQ(one.change, Change::Regressed);
  EXPECT_FALSE(one.certain);
  EXPECT_EQ(gate(comparison), Gate::Undecided);
  // All rounds of NEW take more than 1.05 times (the margin) as long as all rounds of BASE. So the
  // ratio can be below 1.05 only if the true median of a side lies outside the range of its rounds.
  // For 20 rounds, the probability of this is 2 * 2^-20. The p-value is one-sided, so it is half
  // the sum of the probabilities of both sides.
  EXPECT_NEAR(one.p_value, std::ldexp(1, -19), 1e-10);
}

/// Returns a run of one case and two limits (measurements of what the machine can do). The times of
/// the case are multiplied by `factor`.
Results limited_run(double factor, std::int64_t copy_ns, std::int64_t stream_ns, int minute) {
  Results run = timed_run({{"fused", twenty_rounds(factor)}}, minute);
  const std::vector<std::int64_t> copy(20, copy_ns), stream(20, stream_ns);
  run.groups[0].limits = {examples::timed_case({"copy", copy}),
                          examples::timed_case({"stream 1:4", stream})};
  return run;
}

TEST(Compare, WhatTheLimitsChangedByTooMayBeTheMachine) {
  const auto compared = [](double factor, std::int64_t stream_ns) {
    return compare({limited_run(1, 5000, 7000, 0)}, {limited_run(factor, 5000, stream_ns, 1)}, {})
        .cases.at(0);
  };
  const ComparedCase slower = compared(1.5, 10'500);
  EXPECT_DOUBLE_EQ(slower.drift.value(), 0.5);
  EXPECT_EQ(slower.change, Change::Inconclusive);
  EXPECT_EQ(slower.why, NoVerdict::LimitsChanged);
  EXPECT_TRUE(slower.visible.has_value());

  EXPECT_EQ(compared(1.5, 7000).change, Change::Regressed);     // the limits did not change
  EXPECT_EQ(compared(2, 8400).change, Change::Regressed);       // +100 % > 2 * the limit's +20 %
  EXPECT_EQ(compared(1.4, 8400).change, Change::Inconclusive);  // +40 % <= 2 * the limit's +20 %
  EXPECT_EQ(compared(1.5, 3500).change, Change::Inconclusive);  // limit 2x faster, case 1.5x slower
  EXPECT_EQ(compared(0.6, 14'000).change, Change::Inconclusive);
  EXPECT_EQ(compared(0.6, 7000).change, Change::Improved);
  EXPECT_EQ(compared(1, 14'000).why, NoVerdict::None);  // the case itself has not changed
}

TEST(Compare, LimitsThatMoveNothingOrHaveAnotherTeamSayNothingOfACase) {
  const auto compared = [](void (*change)(CaseResult&)) {
    Results base = limited_run(1, 5000, 7000, 0), now = limited_run(1.5, 5000, 10'500, 1);
    for (Results* run : {&base, &now}) change(run->groups[0].limits[1]);
    return compare({base}, {now}, {}).cases.at(0);
  };
  EXPECT_EQ(compared([](CaseResult&) {}).change, Change::Inconclusive);
  EXPECT_EQ(compared([](CaseResult& limit) { limit.stages[0].bytes = 0; }).change,
            Change::Regressed);
  EXPECT_EQ(compared([](CaseResult& limit) { limit.threads = 2; }).change, Change::Regressed);
}

TEST(Compare, WhatLostTheProcessorToOthersMayBeTheMachine) {
  const auto compared = [](double factor, int base_switches, int now_switches) {
    Results base = limited_run(1, 5000, 7000, 0), now = limited_run(factor, 5000, 7000, 1);
    for (Round& round : base.groups[0].cases[0].rounds)
      round.counters.involuntary_switches = base_switches;
    for (Round& round : now.groups[0].cases[0].rounds)
      round.counters.involuntary_switches = now_switches;
    return compare({base}, {now}, {}).cases.at(0);
  };
  EXPECT_EQ(compared(2, 0, 1).why, NoVerdict::Preempted);
  EXPECT_EQ(compared(2, 0, 1).change, Change::Inconclusive);
  EXPECT_EQ(compared(0.5, 1, 0).why, NoVerdict::Preempted);  // BASE is slower and was preempted
  EXPECT_EQ(compared(2, 1, 0).change, Change::Regressed);    // only the faster side was preempted
  EXPECT_EQ(compared(2, 0, 0).change, Change::Regressed);
  EXPECT_EQ(compared(2, 8, 16).change, Change::Regressed);     // as many preemptions per ms
  EXPECT_EQ(compared(2, 8, 29).change, Change::Inconclusive);  // expected: 16; 29 > 16 + 3 sqrt(16)
}

/// Returns six pairs of runs. In each pair, the speed of the machine changes from BASE to NEW by
/// another factor. In addition, the case takes `slower` times as long in NEW, and the limits take
/// `of_limits` times as long.
Pairs pairs_on_a_fickle_machine(double slower, double of_limits) {
  Pairs pairs;
  int minute = 0;
  for (const double machine : {1.0, 1.25, 0.8, 1.1, 0.9, 1.3}) {
    const auto limit = [&](double ns) { return std::llround(ns * machine * of_limits); };
    pairs.base.push_back(limited_run(1, 500'000, 700'000, minute++));
    pairs.now.push_back(limited_run(slower * machine, limit(500'000), limit(700'000), minute++));
  }
  return pairs;
}

TEST(Compare, WhatTheLimitsOfTheSameRoundsChangedByIsDividedOut) {
  const auto compared = [](double slower) {
    return compare_pairs_of(pairs_on_a_fickle_machine(slower, 1)).cases.at(0);
  };
  const ComparedCase slower = compared(1.05);
  EXPECT_NEAR(slower.ratio->value, 1.05 * std::sqrt(1.0 * 1.1), 1e-3);
  EXPECT_NEAR(slower.ratio->low, 1.05 * 0.8, 1e-3);
  ASSERT_TRUE(slower.over_limits);
  EXPECT_NEAR(slower.over_limits->low, 1.05, 1e-3);
  EXPECT_NEAR(slower.over_limits->high, 1.05, 1e-3);
  EXPECT_EQ(slower.change, Change::Regressed);
  EXPECT_TRUE(slower.certain);
  EXPECT_EQ(compared(1).change, Change::Same);
  EXPECT_EQ(compared(0.95).change, Change::Improved);
}

TEST(Compare, LimitsAreNotDividedOutWhereThatMakesPairsDifferMore) {
  Pairs pairs = timed_pairs({{"fused", always(1.05, 6)}});
  const std::vector<std::int64_t> limits{500, 700, 400, 600, 450, 650};
  for (std::size_t i = 0; i < 6; ++i) {
    pairs.base[i].groups[0].limits = {examples::timed_case({"copy", {500}})};
    pairs.now[i].groups[0].limits = {examples::timed_case({"copy", {limits[i]}})};
  }
  const ComparedCase one = compare_pairs_of(pairs).cases.at(0);
  EXPECT_FALSE(one.over_limits);
  EXPECT_EQ(one.change, Change::Regressed);
}

TEST(Compare, LimitsOfAnotherBuildOrOfSomeRunsOnlyAreNotDividedOut) {
  Pairs other_flags = pairs_on_a_fickle_machine(1.05, 1);
  for (Results& run : other_flags.base) run.tool["flags"] = "-O3";
  for (Results& run : other_flags.now) run.tool["flags"] = "-O2";
  EXPECT_FALSE(compare_pairs_of(other_flags).cases.at(0).over_limits);
  Pairs some = pairs_on_a_fickle_machine(1.05, 1);
  some.now[2].groups[0].limits.clear();
  EXPECT_FALSE(compare_pairs_of(some).cases.at(0).over_limits);
}

TEST(Compare, LimitsThatChangedInAllPairsMayBeTheMachineOrTheCode) {
  const auto compared = [](double slower) {
    Pairs pairs;
    for (int i = 0; i < 6; ++i) {
      pairs.base.push_back(limited_run(1, 5000, 7000, 2 * i));
      pairs.now.push_back(limited_run(slower, 5500, 7700, 2 * i + 1));
    }
    return compare_pairs_of(pairs).cases.at(0);
  };
  for (const double slower : {1.0, 1.1, 1.2, 0.9}) {  // within 2 * the limits' 10 %
    EXPECT_EQ(compared(slower).change, Change::Inconclusive) << slower;
    EXPECT_EQ(compared(slower).why, NoVerdict::LimitsChanged) << slower;
    EXPECT_FALSE(compared(slower).over_limits) << slower;
  }
  EXPECT_NEAR(*compared(1).drift, 0.1, 1e-9);
  EXPECT_EQ(compared(10).change, Change::Regressed);
  EXPECT_TRUE(compared(10).certain);
  EXPECT_EQ(compared(0.5).change, Change::Improved);
}

TEST(Compare, ALaneOfAPipelineIsNoLimitThatTheMachineIsJudgedBy) {
  Pairs pairs = timed_pairs({{"fused", always(1.1, 6)}});
  for (auto* side : {&pairs.base, &pairs.now})
    for (Results& run : *side) {
      run.groups[0].limits = {run.groups[0].cases[0]};  // changes by the same factor as the case
      run.groups[0].limits[0].pipeline.emplace().part_of = "fused";
    }
  EXPECT_EQ(compare_pairs_of(pairs).cases.at(0).change, Change::Regressed);
  for (auto* side : {&pairs.base, &pairs.now})
    for (Results& run : *side) run.groups[0].limits[0].pipeline.reset();
  EXPECT_EQ(compare_pairs_of(pairs).cases.at(0).change, Change::Inconclusive);
}

TEST(Compare, NothingIsTheSameOrImprovedBeyondDoubtFromRounds) {
  const auto compared = [](double factor) {
    return compare({timed_run({{"fused", twenty_rounds(1)}})},
                   {timed_run({{"fused", twenty_rounds(factor)}}, 1)}, 0.2);
  };
  const Comparison same = compared(1), improved = compared(0.5);
  EXPECT_EQ(same.cases.at(0).change, Change::Same);
  EXPECT_EQ(improved.cases.at(0).change, Change::Improved);
  for (const Comparison* one : {&same, &improved}) {
    EXPECT_FALSE(one->cases[0].certain);
    EXPECT_EQ(gate(*one), Gate::Undecided);
  }
}

TEST(Compare, SixPairsAreTheFewestWithAnInterval) {
  const auto covered = [](int pairs) { return median_interval_indices(pairs, 0.95).has_value(); };
  EXPECT_TRUE(covered(kFewestPairs));
  EXPECT_FALSE(covered(kFewestPairs - 1));
}

TEST(Compare, FewPairsOfRunsLetAllTheirRoundsDecide) {
  const auto run = [](int minute) { return timed_run({{"fused", twenty_rounds(1)}}, minute); };
  const Comparison comparison = compare({run(0), run(3), run(4)}, {run(1), run(2), run(5)}, {});
  EXPECT_EQ(comparison.cases.at(0).replicates, 60);
  ASSERT_EQ(comparison.cautions.size(), 1u);
  EXPECT_EQ(std::get<caution::FewRuns>(comparison.cautions[0]).pairs, 3);
}

TEST(Compare, TooFewRoundsDecideNothing) {
  const std::vector<std::int64_t> six(6, 1000), twice(6, 2000);
  const Comparison comparison =
      compare({timed_run({{"fused", six}})}, {timed_run({{"fused", twice}}, 1)}, {});
  const ComparedCase& one = comparison.cases.at(0);
  EXPECT_EQ(one.change, Change::Inconclusive);
  EXPECT_EQ(one.why, NoVerdict::TooFewRounds);
  EXPECT_EQ(one.replicates, 6);
  EXPECT_FALSE(one.visible.has_value());
  EXPECT_EQ(gate(comparison), Gate::Undecided);
}

TEST(Compare, CorrelatedRoundsCountInBlocks) {
  std::vector<std::int64_t> drifting;  // 8 blocks of 8 rounds: 1000, 1001, ..., 1007
  for (int i = 0; i < 64; ++i) drifting.push_back(1000 + i / 8);
  const Comparison comparison =
      compare({timed_run({{"fused", drifting}})}, {timed_run({{"fused", drifting}}, 1)}, {});
  // Each side counts as 8 values, because the 8 rounds of a block are equal. The interval at 97.5 %
  // of the median of 8 values is from the smallest value (1000) to the largest value (1007).
  EXPECT_DOUBLE_EQ(comparison.cases.at(0).ratio->high, 1007.0 / 1000);
}

TEST(Compare, ACaseThatNowFailsIsARegression) {
  Pairs pairs = timed_pairs({{"a", always(1)}, {"b", always(1)}});
  pairs.now[4].groups[0].cases[1].status = Status::Failed;
  pairs.now[4].groups[0].cases[1].reason = "wrong output";
  const Comparison comparison = compare_pairs_of(pairs);
  EXPECT_EQ(comparison.cases[0].name.variant, "b");
  EXPECT_EQ(comparison.cases[0].change, Change::Failed);
  EXPECT_EQ(comparison.cases[0].why, NoVerdict::Ended);
  EXPECT_EQ(comparison.cases[0].ending, (Ending{Status::Failed, "wrong output", 1, 10}));
  EXPECT_EQ(gate(comparison), Gate::Regressed);

  const Comparison fixed = compare({pairs.now}, {pairs.base}, {});
  EXPECT_EQ(count(fixed, Change::NotCompared), 1);
  EXPECT_EQ(gate(fixed), Gate::Passed);
}

TEST(Compare, ACaseThatIsNowSkippedIsNoRegressionButUndecided) {
  Pairs pairs = timed_pairs({{"gpu", always(1)}});
  for (Results& results : pairs.now) {
    results.groups[0].cases[0].status = Status::Skipped;
    results.groups[0].cases[0].reason = "no CUDA device";
    results.groups[0].cases[0].rounds.clear();
  }
  const Comparison comparison = compare_pairs_of(pairs);
  EXPECT_EQ(comparison.cases[0].change, Change::NotCompared);
  EXPECT_EQ(comparison.cases[0].ending.reason, "no CUDA device");
  EXPECT_EQ(gate(comparison), Gate::Undecided);
  EXPECT_THAT(comparison.cases[0].findings,
              testing::Contains(CaseFinding{CaseFinding::Kind::Status, Status::Ok, Status::Skipped,
                                            0, Ending{Status::Skipped, "no CUDA device", 10, 10}}));

  for (Results& results : pairs.base) results.groups = pairs.now[0].groups;
  EXPECT_EQ(gate(compare_pairs_of(pairs)), Gate::Undecided);  // nothing was compared
}

TEST(Compare, ACaseThatIsSkippedOnBothSidesLeavesTheOthersVerdict) {
  Pairs pairs = timed_pairs({{"cpu", always(1)}, {"gpu", always(1)}});
  for (auto* side : {&pairs.base, &pairs.now})
    for (Results& results : *side) {
      results.groups[0].cases[1].status = Status::Skipped;
      results.groups[0].cases[1].rounds.clear();
    }
  EXPECT_EQ(gate(compare_pairs_of(pairs)), Gate::Passed);
}

TEST(Compare, CasesOfOneSideAreListed) {
  Pairs pairs = timed_pairs({{"a", always(1)}, {"old", always(1)}});
  for (Results& results : pairs.now) results.groups[0].cases[1].variant = "new";
  const Comparison comparison = compare_pairs_of(pairs);
  EXPECT_THAT(comparison.base_only, ElementsAre(CaseName{"form", {{"batch", 8}}, "old"}));
  EXPECT_THAT(comparison.new_only, ElementsAre(CaseName{"form", {{"batch", 8}}, "new"}));
  EXPECT_EQ(comparison.cases.size(), 1u);
  EXPECT_EQ(gate(comparison), Gate::Undecided);
  EXPECT_TRUE(comparable(comparison));

  for (Results& results : pairs.now) results.groups[0].experiment = "other";
  EXPECT_FALSE(comparable(compare_pairs_of(pairs)));
}

TEST(Compare, PairsWithoutAPartnerDoNotCount) {
  Pairs pairs = timed_pairs({{"a", always(1.1)}});
  for (int i = 0; i < 5; ++i) pairs.base[i].groups[0].cases[0].rounds.clear();
  const Comparison comparison = compare_pairs_of(pairs);
  EXPECT_EQ(comparison.cases[0].change, Change::Inconclusive);
  EXPECT_EQ(comparison.cases[0].why, NoVerdict::TooFewRuns);
  EXPECT_EQ(comparison.cases[0].replicates, 5);
}

TEST(Compare, DeviceTimesDecideWhereTheConfigSaysSo) {
  Pairs pairs = timed_pairs({{"gpu", always(1)}});
  for (auto* side : {&pairs.base, &pairs.now})
    for (Results& results : *side) {
      results.clock = DecidingClock::Device;
      for (Round& round : results.groups[0].cases[0].rounds)
        round.device_ns = side == &pairs.base ? 500'000 : 600'000;
    }
  EXPECT_NEAR(compare_pairs_of(pairs).cases[0].ratio->value, 1.2, 1e-9);

  for (Results& results : pairs.now)
    for (Round& round : results.groups[0].cases[0].rounds) round.device_ns = 0;
  EXPECT_EQ(compare_pairs_of(pairs).cases[0].why, NoVerdict::ClocksDiffer);
}

TEST(Compare, ARoundWithoutTimeHasNoRatio) {
  Pairs pairs = timed_pairs({{"a", always(1)}});
  for (Results& results : pairs.now)
    for (Round& round : results.groups[0].cases[0].rounds) round.wall_ns = 0;
  EXPECT_EQ(compare_pairs_of(pairs).cases[0].why, NoVerdict::NoTime);
}

}  // namespace
}  // namespace normbench::compare_test
