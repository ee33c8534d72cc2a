/// Tests how often a family of comparisons reports at least one difference that does not exist.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "document/statistics.h"

namespace normbench::multiplicity_test {
namespace {

using testing::ElementsAre;

constexpr int kTrials = 20'000;
constexpr double kAlpha = 0.05;

/// Returns four standard deviations of the share of `trials` in which an event with probability
/// `share` happens.
double error_of(double share, int trials = kTrials) {
  return 4 * std::sqrt(share * (1 - share) / trials);
}

bool any_below_alpha(const std::vector<double>& p_values, std::size_t first = 0) {
  return std::any_of(p_values.begin() + static_cast<std::ptrdiff_t>(first), p_values.end(),
                     [](double p) { return p <= kAlpha; });
}

TEST(FamilyPValues, AreSharesOfTheWaysToTurnSigns) {
  EXPECT_THAT(family_p_values({}), ElementsAre());
  EXPECT_THAT(family_p_values({{1, 2, 3}}), ElementsAre(1.0 / 8));
  EXPECT_THAT(family_p_values({{1, 2, -3}}), ElementsAre(5.0 / 8));  // 5 of 8 sums are at least 0
  EXPECT_THAT(family_p_values({{-1, -1}}), ElementsAre(1));
  EXPECT_THAT(family_p_values({{0, 0, 0}}), ElementsAre(1));  // all drawn sums are equal
  // Each of the 8 draws of signs gives one sum for each of the two series, and the larger sum
  // counts. The p-value of a series is the share of draws in which the larger sum is at least the
  // series' own sum. The first series has the sum 3, which only two draws reach: the one that keeps
  // all signs and the one that flips all signs. The second has the sum -3, which all draws reach.
  EXPECT_THAT(family_p_values({{1, 1, 1}, {-1, -1, -1}}), ElementsAre(2.0 / 8, 1));
  EXPECT_THAT(family_p_values({std::vector<double>(20, 1)}), ElementsAre(1.0 / 4096));
}

TEST(FamilyPValues, ErrNoMoreOftenThanTheyMayHoweverManySeriesThereAre) {
  constexpr int kFamilies = 1500;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  for (const std::size_t series : {1, 4, 40})
    for (const double shared : {0.0, 3.0}) {
      int errors = 0, found = 0;
      for (int trial = 0; trial < kFamilies; ++trial) {
        std::vector<double> of_all(8);
        for (double& one : of_all) one = shared * noise(random);
        std::vector<std::vector<double>> values(series, of_all);
        for (auto& one : values)
          for (double& value : one) value += noise(random);
        errors += any_below_alpha(family_p_values(values)) ? 1 : 0;
        for (double& value : values[0]) value += 100;
        const std::vector<double> p_values = family_p_values(values);
        found += p_values[0] <= kAlpha ? 1 : 0;
      }
      const double rate = static_cast<double>(errors) / kFamilies;
      EXPECT_LE(rate, kAlpha + error_of(kAlpha, kFamilies)) << series << " " << shared;
      EXPECT_GT(rate, kAlpha / 4) << series << " " << shared;
      EXPECT_EQ(found, kFamilies);
    }
}

/// Returns the times of equal contenders in each round. The noise of each contender has heavy
/// tails. All contenders have the same drift.
std::vector<std::vector<double>> equal_contenders(std::size_t contenders, int rounds,
                                                  std::mt19937_64& random) {
  std::cauchy_distribution<double> noise(0, 0.01);
  std::vector<std::vector<double>> times(contenders);
  for (int round = 0; round < rounds; ++round)
    for (std::vector<double>& contender : times)
      contender.push_back((100 + round) * std::exp(std::clamp(noise(random), -1.0, 1.0)));
  return times;
}

TEST(Bonferroni, PairsOfEqualContendersDifferInFewerThanAlphaOfTheRuns) {
  constexpr int kRuns = 3000, kRounds = 40;
  constexpr std::size_t kContenders = 4, kPairs = kContenders * (kContenders - 1) / 2;
  std::mt19937_64 random(3);
  int errors = 0, single_errors = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto times = equal_contenders(kContenders, kRounds, random);
    bool different = false;
    for (std::size_t a = 0; a < kContenders; ++a)
      for (std::size_t b = a + 1; b < kContenders; ++b) {
        const Interval ratio = paired_ratio(times[a], times[b], 1 - kAlpha / kPairs);
        different |= ratio.low > 1 || ratio.high < 1;
      }
    errors += different ? 1 : 0;
    const Interval one = paired_ratio(times[0], times[1], 1 - kAlpha);
    single_errors += one.low > 1 || one.high < 1 ? 1 : 0;
  }
  EXPECT_LE(static_cast<double>(errors) / kRuns, kAlpha + error_of(kAlpha, kRuns));
  EXPECT_GT(errors, 0);  // no error at all would mean too wide intervals
  EXPECT_LE(static_cast<double>(single_errors) / kRuns, kAlpha + error_of(kAlpha, kRuns));
  EXPECT_GT(single_errors, kRuns / 100);
}

}  // namespace
}  // namespace normbench::multiplicity_test
