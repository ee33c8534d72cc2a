/// Tests that a case gets the same results in a group or document of many cases as in a small one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/analysed.h"
#include "analysis/compare/compare.h"
#include "document/held_up.h"
#include "example_results.h"

namespace normbench::many_test {
namespace {

/// Returns the document with only the first group, and with only those of its cases that have the
/// indices `cases`.
Results with_only(const Results& all, std::vector<std::size_t> cases) {
  Results some = all;
  some.groups.resize(1);
  some.groups[0].cases.clear();
  for (const std::size_t i : cases) some.groups[0].cases.push_back(all.groups[0].cases[i]);
  return some;
}

TEST(Many, ACaseIsJudgedAsInASmallGroup) {
  const Results all = examples::many(1, 150);
  const GroupAnalysis large = analyse(all.groups[0], all);
  ASSERT_EQ(large.cases.size(), 150u);
  for (const std::size_t i : {1, 2, 77, 149}) {
    const Results two = with_only(all, {0, i});
    const GroupAnalysis small = analyse(two.groups[0], two);
    EXPECT_EQ(large.cases[i].time_ns, small.cases[1].time_ns);
    EXPECT_EQ(large.cases[i].ratio, small.cases[1].ratio);
    EXPECT_EQ(large.cases[i].limit, small.cases[1].limit);
    EXPECT_EQ(large.cases[i].of_limit, small.cases[1].of_limit);
    EXPECT_EQ(large.cases[i].stages[0].floor_ns, small.cases[1].stages[0].floor_ns);
    EXPECT_EQ(large.noise[i].disturbed, small.noise[1].disturbed);
    EXPECT_EQ(large.pairs.of(0, static_cast<int>(i))->ratio.value,
              small.pairs.of(0, 1)->ratio.value);
  }
}

TEST(Many, WhatIsSaidOfManyThatMayBeTheFastestHoldsForAllPairs) {
  Results all = examples::many(1, 100);
  for (std::size_t i = 0; i < 100; ++i) all.groups[0].cases[i].rounds = examples::make_rounds(1, i);
  const Verdict verdict = analyse(all.groups[0], all).verdict;
  ASSERT_EQ(verdict.fastest.size(), 100u);
  const Pairs pairs(MeasuredGroup(all.groups[0], all));
  double low = 1, high = 1;
  for (const int i : verdict.fastest)
    if (const auto pair = pairs.of(verdict.fastest[0], i)) {
      low = std::min(low, pair->ratio.low);
      high = std::max(high, pair->ratio.high);
    }
  EXPECT_DOUBLE_EQ(verdict.widest, high / low - 1);
  for (const Pair& pair : pairs.among(verdict.fastest)) {
    EXPECT_LE(widest_difference(pair), verdict.widest);
    EXPECT_LE(visible_difference(pair, all.precision), verdict.visible);
    if (verdict.outcome == Outcome::Tie) {
      EXPECT_TRUE(is_tie(pair, all.precision));
    }
  }
  EXPECT_EQ(verdict.rounds, examples::rounds);
}

/// Computes the value of MeasuredGroup::is_comparable() by comparing the case with every other case
/// of the group.
bool is_comparable(const GroupResult& group, const CaseResult& result, const Results& results) {
  if (is_busy(result, results.clock)) return false;
  const auto times = times_ns(result, results);
  return std::ranges::none_of(group.cases, [&](const CaseResult& other) {
    return std::min(result.rounds.size(), other.rounds.size()) >= fewest_left_alone &&
           log_ratios(times, times_ns(other, results)).size() < fewest_left_alone;
  });
}

TEST(Many, CasesThatShareTooFewRoundsAreFound) {
  std::mt19937_64 random(1);
  int comparable = 0;
  for (int group = 0; group < 40; ++group) {
    Results results = examples::many(1, 12);
    const auto held_up = random() % 12;  // of 20 rounds: those that others disturb, on average
    for (CaseResult& result : results.groups[0].cases) {
      if (random() % 8 == 0) result.rounds.resize(3 + random() % 5);
      for (Round& round : result.rounds)
        if (random() % 20 < held_up) round.cpu_ns = round.wall_ns / 2;
    }
    const MeasuredGroup measured(results.groups[0], results);
    for (std::size_t i = 0; i < 12; ++i) {
      const bool expected = is_comparable(results.groups[0], results.groups[0].cases[i], results);
      EXPECT_EQ(measured.is_comparable(static_cast<int>(i)), expected) << group << ", " << i;
      comparable += expected ? 1 : 0;
    }
  }
  EXPECT_GT(comparable, 40);
  EXPECT_LT(comparable, 440);
}

TEST(Many, GroupsAlongAnAxisAreFound) {
  Results results = examples::many(3, 1);
  for (int i = 0; i < 3; ++i) results.groups[i].point["memory"] = i == 1 ? "pinned" : "pageable";
  results.groups.push_back(results.groups[0]);
  results.groups.back().experiment = "another";
  const MeasuredDocument document(results);
  const auto& groups = results.groups;
  EXPECT_EQ(document.along(groups[2], "batch"),
            (std::vector<const GroupResult*>{&groups[0], &groups[2]}));
  EXPECT_EQ(document.along(groups[1], "batch"), (std::vector<const GroupResult*>{&groups[1]}));
  EXPECT_EQ(document.along(groups[0], "memory"), (std::vector<const GroupResult*>{&groups[0]}));
  EXPECT_TRUE(document.along(groups[0], "none").empty());
}

TEST(Many, CasesAreComparedAsAlone) {
  std::vector<Results> base, now;
  base.push_back(examples::many(1, 90));
  now.push_back(base[0]);
  for (CaseResult& result : now[0].groups[0].cases)
    for (Round& round : result.rounds) round.wall_ns += round.wall_ns / 5;
  for (CaseResult& limit : now[0].groups[0].limits)
    for (Round& round : limit.rounds) round.wall_ns += round.wall_ns / 50;
  const Comparison all = compare(base, now, std::nullopt);
  ASSERT_EQ(all.cases.size(), 90u);
  for (const std::size_t i : {0, 5, 89}) {
    const Comparison one =
        compare({with_only(base[0], {i})}, {with_only(now[0], {i})}, std::nullopt);
    const auto same = std::ranges::find_if(all.cases, [&](const ComparedCase& other) {
      return other.name.variant == one.cases[0].name.variant;
    });
    ASSERT_NE(same, all.cases.end());
    EXPECT_EQ(same->change, one.cases[0].change);
    EXPECT_EQ(same->ratio, one.cases[0].ratio);
    EXPECT_EQ(same->drift, one.cases[0].drift);
    EXPECT_EQ(same->why, one.cases[0].why);
  }
}

}  // namespace
}  // namespace normbench::many_test
