#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "measure/measure_group.h"

namespace normbench::latin_square_test {
namespace {

std::vector<std::vector<int>> latin_square(int k, std::mt19937_64& random) {
  const LatinSquare square(k, random);
  std::vector<std::vector<int>> rows;
  for (int i = 0; i < square.size(); ++i) rows.push_back(square.row(i));
  return rows;
}

TEST(LatinSquare, HasEveryContenderOnceAtEveryPosition) {
  std::mt19937_64 random(1);
  for (int k = 1; k <= 9; ++k) {
    const auto square = latin_square(k, random);
    ASSERT_EQ(square.size(), k);
    for (int i = 0; i < k; ++i) {
      std::set<int> row(square[i].begin(), square[i].end()), column;
      for (const auto& round : square) column.insert(round.at(i));
      EXPECT_EQ(square[i].size(), k);
      EXPECT_EQ(row.size(), k);
      EXPECT_EQ(column.size(), k);
      EXPECT_EQ(*row.begin(), 0);
      EXPECT_EQ(*row.rbegin(), k - 1);
    }
  }
}

/// Returns, for each pair (earlier, later) of contenders, how often `later` directly follows
/// `earlier` in a round.
std::map<std::pair<int, int>, int> successions(const std::vector<std::vector<int>>& rounds) {
  std::map<std::pair<int, int>, int> counts;
  for (const auto& round : rounds)
    for (std::size_t i = 1; i < round.size(); ++i) ++counts[{round[i - 1], round[i]}];
  return counts;
}

TEST(LatinSquare, LetsEveryContenderFollowEveryOther) {
  std::mt19937_64 random(3);
  for (int k = 2; k <= 12; k += 2) {
    const auto counts = successions(latin_square(k, random));
    EXPECT_EQ(counts.size(), k * (k - 1));
    for (const auto& [pair, count] : counts)
      EXPECT_EQ(count, 1) << k << ": " << pair.first << ", " << pair.second;
  }
  for (int k = 3; k <= 11; k += 2)
    for (const auto& [pair, count] : successions(latin_square(k, random)))
      EXPECT_LE(count, 2) << k << ": " << pair.first << ", " << pair.second;
}

TEST(LatinSquare, DrawsEverySquareOfThree) {
  std::mt19937_64 random(2);
  std::set<std::vector<std::vector<int>>> squares;
  for (int i = 0; i < 1000; ++i) squares.insert(latin_square(3, random));
  EXPECT_EQ(squares.size(), 12);  // all Latin squares of order 3
}

TEST(LatinSquare, FollowsTheSeed) {
  std::mt19937_64 a(7), b(7), c(8);
  EXPECT_EQ(latin_square(5, a), latin_square(5, b));
  EXPECT_NE(latin_square(5, a), latin_square(5, c));
}

}  // namespace
}  // namespace normbench::latin_square_test
