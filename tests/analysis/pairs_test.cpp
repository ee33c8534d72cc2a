#include "analysis/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_results.h"

namespace normbench::pairs_test {
namespace {

std::vector<Pair> all_pairs(const GroupResult& group, const Results& results) {
  return Pairs(MeasuredGroup(group, results)).shown({});
}

TEST(Pairs, AreDifferentOnlyBeyondTheMargin) {
  Results results = examples::tie();
  const auto pairs = all_pairs(results.groups[0], results);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_TRUE(pairs[0].different);  // 9 ms against 5 ms
  EXPECT_TRUE(pairs[1].different);
  EXPECT_FALSE(pairs[2].different);  // 5 ms against 5 ms
  EXPECT_TRUE(is_tie(pairs[2], results.precision));

  results.precision = 1;  // only ratios beyond 2 or 1/2 count
  EXPECT_FALSE(all_pairs(results.groups[0], results)[0].different);
}

TEST(Pairs, WithAPeerAreDifferentOnlyBeyondWhatProcessesDo) {
  Results results = examples::tie();
  GroupResult& group = results.groups[0];
  const auto stretch = [](Round& round) {
    round.cpu_ns = round.wall_ns = round.wall_ns * 104 / 100;
  };
  std::ranges::for_each(group.cases[2].rounds, stretch);
  EXPECT_TRUE(all_pairs(group, results)[2].different);
  group.cases[2].peer = "torch";
  const Pair apart = all_pairs(group, results)[2];
  EXPECT_FALSE(apart.different);
  EXPECT_TRUE(is_tie(apart, results.precision));
  EXPECT_NEAR(widest_difference(apart), kProcessEffect, 1e-12);
  EXPECT_GE(visible_difference(apart, results.precision), kProcessEffect);
  std::ranges::for_each(group.cases[2].rounds, stretch);
  EXPECT_TRUE(all_pairs(group, results)[2].different);
}

TEST(Pairs, TooFewRoundsAreNeverDifferent) {
  const Results results = examples::quick();
  for (const Pair& pair : all_pairs(results.groups[0], results)) {
    EXPECT_FALSE(pair.covered);
    EXPECT_FALSE(pair.different);
  }
}

TEST(Pairs, TurnAround) {
  const Results results = examples::tie();
  const Pairs pairs(MeasuredGroup(results.groups[0], results));
  const Pair pair = pairs.of(0, 1).value(), turned = pairs.of(1, 0).value();
  EXPECT_FALSE(faster(pair));
  EXPECT_TRUE(faster(turned));
  EXPECT_EQ(turned.ratio,
            (Interval{1 / pair.ratio.value, 1 / pair.ratio.high, 1 / pair.ratio.low}));
  EXPECT_EQ(std::pair(turned.a, turned.b), std::pair(1, 0));
  EXPECT_FALSE(pairs.of(0, 3).has_value());
  EXPECT_FALSE(pairs.of(1, 1).has_value());
  EXPECT_FALSE(pairs.empty());
  EXPECT_TRUE(Pairs().empty());
}

TEST(Pairs, OfManyCasesAReaderSeesThoseWithTheChosenOnes) {
  constexpr int most = static_cast<int>(Pairs::most_in_full);
  const Results few = examples::many(1, most), many = examples::many(1, most + 1);
  EXPECT_EQ(all_pairs(few.groups[0], few).size(), std::size_t{most * (most - 1) / 2});
  const Pairs pairs(MeasuredGroup(many.groups[0], many));
  EXPECT_FALSE(pairs.are_all_shown());
  EXPECT_EQ(pairs.count(), (most + 1) * most / 2);
  const std::vector<Pair> shown = pairs.shown({7, 2, -1});
  EXPECT_EQ(shown.size(), std::size_t{2 * most - 1});
  std::vector<std::pair<int, int>> order;
  for (const Pair& pair : shown) {
    EXPECT_TRUE(pair.a == 2 || pair.b == 2 || pair.a == 7 || pair.b == 7);
    EXPECT_EQ(pair.ratio, pairs.of(pair.a, pair.b)->ratio);
    order.emplace_back(pair.a, pair.b);
  }
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Pairs, WidestDifferenceLooksBothWays) {
  EXPECT_NEAR(widest_difference({.ratio = {1, 0.99, 1.02}}), 0.02, 1e-12);
  EXPECT_NEAR(widest_difference({.ratio = {1, 0.8, 1.02}}), 0.25, 1e-12);
}

TEST(Pairs, FairnessLooksAtTheEnd) {
  EXPECT_FALSE(unlike_ends(examples::tie().groups[0]));
  GroupResult allowed = examples::unfair().groups[0];
  allowed.may_differ = {Difference::Layout};
  EXPECT_TRUE(unlike_ends(allowed));
  allowed.may_differ = {Difference::Layout, Difference::DType};
  EXPECT_FALSE(unlike_ends(allowed));
  const auto unlike = unlike_ends(examples::unfair().groups[0]);
  ASSERT_TRUE(unlike);
  EXPECT_EQ(unlike->a, 0);
  EXPECT_EQ(unlike->b, 1);
}

}  // namespace
}  // namespace normbench::pairs_test
