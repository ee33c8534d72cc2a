#include "analysis/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "example_results.h"

namespace normbench::pairs_test {
namespace {

TEST(Pairs, AreDifferentOnlyBeyondTheMargin) {
  Results results = examples::tie();
  const auto pairs = compare_pairs(results.groups[0], results);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_TRUE(pairs[0].different);  // 9 ms against 5 ms
  EXPECT_TRUE(pairs[1].different);
  EXPECT_FALSE(pairs[2].different);  // 5 ms against 5 ms
  EXPECT_TRUE(is_tie(pairs[2], results.precision));

  results.precision = 1;  // only ratios beyond 2 or 1/2 count
  EXPECT_FALSE(compare_pairs(results.groups[0], results)[0].different);
}

TEST(Pairs, WithAPeerAreDifferentOnlyBeyondWhatProcessesDo) {
  Results results = examples::tie();
  GroupResult& group = results.groups[0];
  const auto stretch = [](Round& round) {
    round.cpu_ns = round.wall_ns = round.wall_ns * 104 / 100;
  };
  std::ranges::for_each(group.cases[2].rounds, stretch);
  EXPECT_TRUE(compare_pairs(group, results)[2].different);
  group.cases[2].peer = "torch";
  const Pair apart = compare_pairs(group, results)[2];
  EXPECT_FALSE(apart.different);
  EXPECT_TRUE(is_tie(apart, results.precision));
  EXPECT_NEAR(widest_difference(apart), kProcessEffect, 1e-12);
  EXPECT_GE(visible_difference(apart, results.precision), kProcessEffect);
  std::ranges::for_each(group.cases[2].rounds, stretch);
  EXPECT_TRUE(compare_pairs(group, results)[2].different);
}

TEST(Pairs, TooFewRoundsAreNeverDifferent) {
  const Results results = examples::quick();
  for (const Pair& pair : compare_pairs(results.groups[0], results)) {
    EXPECT_FALSE(pair.covered);
    EXPECT_FALSE(pair.different);
  }
}

TEST(Pairs, TurnAround) {
  const std::vector<Pair> pairs{{.a = 0, .b = 1, .ratio = {2, 1.6, 2.5}, .different = true}};
  EXPECT_EQ(pair_of(pairs, 0, 1)->ratio, (Interval{2, 1.6, 2.5}));
  EXPECT_EQ(pair_of(pairs, 1, 0)->ratio, (Interval{0.5, 0.4, 0.625}));
  EXPECT_TRUE(faster(*pair_of(pairs, 1, 0)));
  EXPECT_FALSE(faster(*pair_of(pairs, 0, 1)));
  EXPECT_FALSE(pair_of(pairs, 0, 2).has_value());
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
