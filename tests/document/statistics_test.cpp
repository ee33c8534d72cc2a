#include "document/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

namespace normbench::statistics_test {
namespace {

using testing::ElementsAre;

/// Returns P(Bin(n, 1/2) = k) for all k. Computes it by halving the sums in Pascal's triangle, so
/// that it uses no logarithm and no gamma function.
std::vector<long double> binomial(int n) {
  std::vector<long double> p{1};
  for (int i = 0; i < n; ++i) {
    p.push_back(0);
    for (std::size_t k = p.size() - 1; k > 0; --k) p[k] = (p[k] + p[k - 1]) / 2;
    p[0] /= 2;
  }
  return p;
}

/// Computes the confidence interval of the median of n values from its definition, as indices of
/// the sorted values. It has the largest low index for which the interval covers the median with a
/// probability of at least `level`.
std::optional<std::pair<int, int>> brute_force(int n, double level) {
  const auto p = binomial(n);
  std::optional<std::pair<int, int>> best;
  long double outside = 0;
  for (int low = 0; low <= n - 1 - low; ++low) {
    outside += 2 * p[low];
    if (1 - outside >= level - 1e-15L) best = {low, n - 1 - low};
  }
  return best;
}

TEST(MedianIntervalIndices, AreThoseOfTheTables) {
  EXPECT_EQ(median_interval_indices(5, 0.95), std::nullopt);
  EXPECT_EQ(median_interval_indices(6, 0.95), std::pair(0, 5));
  EXPECT_EQ(median_interval_indices(10, 0.95), std::pair(1, 8));
  EXPECT_EQ(median_interval_indices(20, 0.95), std::pair(5, 14));
  EXPECT_EQ(median_interval_indices(50, 0.95), std::pair(17, 32));
  EXPECT_EQ(median_interval_indices(20, 0.99), std::pair(3, 16));
  EXPECT_EQ(median_interval_indices(1, 0.5), std::nullopt);
}

TEST(MedianIntervalIndices, KeepALevelThatIsMetExactly) {
  EXPECT_EQ(median_interval_indices(6, 1 - 2.0 / 64), std::pair(0, 5));
  EXPECT_EQ(median_interval_indices(10, 1 - 22.0 / 1024), std::pair(1, 8));
}

TEST(MedianIntervalIndices, AgreeWithTheDefinition) {
  for (int n = 2; n <= 200; ++n)
    for (const double level : {0.5, 0.9, 0.95, 0.96, 0.99, 0.995, 0.9999})
      EXPECT_EQ(median_interval_indices(n, level), brute_force(n, level)) << n << " " << level;
}

TEST(MedianIntervalIndices, AreExactWhereTwoToTheMinusNUnderflows) {
  for (const int n : {1025, 2000, 5000})
    for (const double level : {0.95, 0.99, 0.995})
      EXPECT_EQ(median_interval_indices(n, level), brute_force(n, level)) << n << " " << level;
}

TEST(MedianInterval, HoldsTheOrderStatistics) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_interval({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.95), (Interval{5.5, 2, 9}));
  EXPECT_EQ(median_interval({3, 1, 2}, 0.95), (Interval{2, 1, 3}));
  EXPECT_EQ(median_interval({}, 0.95), Interval{});
}

void expect_interval(const Interval& interval, double value, double low, double high,
                     double error) {
  EXPECT_NEAR(interval.value, value, error);
  EXPECT_NEAR(interval.low, low, error);
  EXPECT_NEAR(interval.high, high, error);
}

TEST(WilsonInterval, IsThatOfNewcombesTable) {
  // R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3.
  expect_interval(wilson_interval(81, 263, 0.95), 0.3080, 0.2553, 0.3662, 5e-5);
  expect_interval(wilson_interval(15, 148, 0.95), 0.1014, 0.0624, 0.1605, 5e-5);
  expect_interval(wilson_interval(0, 20, 0.95), 0, 0, 0.1611, 5e-5);
  expect_interval(wilson_interval(1, 29, 0.95), 0.0345, 0.0061, 0.1718, 5e-5);
}

TEST(WilsonInterval, IsThatOfTheFormula) {
  // The bounds are 1/2 -+ z / (2 sqrt(n + z^2)) for n = 10 and z = 1.959964, which are the roots p
  // of (p - 1/2)^2 = z^2 p (1 - p)/n.
  expect_interval(wilson_interval(5, 10, 0.95), 0.5, 0.236593, 0.763407, 1e-6);
  // With 0 successes, the upper bound is z^2 / (n + z^2), for z = 1.644854 and z = 2.575829.
  expect_interval(wilson_interval(0, 10, 0.90), 0, 0, 2.705543 / 12.705543, 1e-6);
  expect_interval(wilson_interval(0, 10, 0.99), 0, 0, 6.634897 / 16.634897, 1e-6);
  expect_interval(wilson_interval(0, 0, 0.95), 0, 0, 1, 0);
}

TEST(WilsonInterval, IsTheSameSeenFromTheFailures) {
  for (int n = 1; n <= 40; ++n)
    for (int k = 0; k <= n; ++k) {
      const Interval of = wilson_interval(k, n, 0.95), other = wilson_interval(n - k, n, 0.95);
      expect_interval(of, 1 - other.value, 1 - other.high, 1 - other.low, 1e-12);
    }
}

TEST(Autocorrelation, IsThatOfTheDefinition) {
  EXPECT_DOUBLE_EQ(lag1_autocorrelation(std::vector<double>{1, 2, 3, 4}), 0.25);
  EXPECT_DOUBLE_EQ(lag1_autocorrelation(std::vector<double>{1, -1, 1, -1}), -0.75);
  EXPECT_EQ(lag1_autocorrelation(std::vector<double>{5, 5, 5}), 0);
  EXPECT_EQ(lag1_autocorrelation(std::vector<double>{5}), 0);
}

std::vector<double> normal_values(int count, double spread, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, spread);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(noise(random));
  return values;
}

/// Repeats each value `times` times in a row.
std::vector<double> repeated(const std::vector<double>& values, int times) {
  std::vector<double> all;
  for (const double value : values) all.insert(all.end(), times, value);
  return all;
}

TEST(EffectiveRounds, AreAllOfThemUnlessNeighboursAgree) {
  const std::vector<double> alternating{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  EXPECT_EQ(effective_rounds(alternating), 16);
  EXPECT_EQ(effective_rounds(std::vector<double>(30, 5.0)), 30);
  EXPECT_EQ(effective_rounds(std::vector<double>{1, 2}), 2);
  EXPECT_EQ(effective_rounds(std::vector<double>{}), 0);
}

TEST(EffectiveRounds, AreAsManyAsThereAreDifferentOnes) {
  std::mt19937_64 random(1);
  for (const int times : {1, 2, 5, 10}) {
    double sum = 0;
    constexpr int series = 200, different = 100;
    for (int i = 0; i < series; ++i)
      sum += effective_rounds(repeated(normal_values(different, 1, random), times));
    EXPECT_GT(sum / series, 0.75 * different) << times;
    EXPECT_LT(sum / series, 1.1 * different) << times;
  }
}

TEST(EffectiveRounds, AreThoseOfTheFormulaWhereRoundsAreAutoregressive) {
  // effective_rounds() uses only the signs of the values. The signs of a normal AR(1) process have
  // the autocorrelations 2/pi asin(phi^k). Their integrated autocorrelation time is 1 plus twice
  // the sum of these autocorrelations.
  constexpr double phi = 0.9;
  double time = 1;
  for (int k = 1; k < 500; ++k) time += 4 / std::numbers::pi * std::asin(std::pow(phi, k));
  std::mt19937_64 random(1);
  std::vector<double> found;
  for (int i = 0; i < 200; ++i) {
    std::vector<double> values = normal_values(1000, std::sqrt(1 - phi * phi), random);
    for (std::size_t t = 1; t < values.size(); ++t) values[t] += phi * values[t - 1];
    found.push_back(effective_rounds(values));
  }
  EXPECT_NEAR(median(found), 1000 / time, 0.2 * 1000 / time);
}

TEST(TwoLevels, AreHeapsWithAClearGap) {
  std::mt19937_64 random(1);
  std::vector<double> values = normal_values(40, 0.002, random);
  EXPECT_FALSE(two_levels(values, 0.03));
  for (std::size_t i = 1; i < values.size(); i += 2) values[i] += 0.1;  // every other value is high
  const auto levels = two_levels(values, 0.03);
  ASSERT_TRUE(levels);
  EXPECT_NEAR(levels->low, 0, 0.002);
  EXPECT_NEAR(levels->high, 0.1, 0.002);
  EXPECT_EQ(levels->low_count, 20);
  EXPECT_EQ(levels->high_count, 20);
  EXPECT_FALSE(two_levels(values, 0.2));  // the levels are less than 0.2 apart
}

TEST(TwoLevels, OfWhichOneIsRareComeInRuns) {
  std::mt19937_64 random(1);
  std::vector<double> together = normal_values(100, 0.002, random), scattered = together;
  for (std::size_t i = 0; i < 8; ++i) {
    together[40 + i] += 0.1;
    scattered[10 * i] += 0.1;
  }
  const auto levels = two_levels(together, 0.03);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->high_count, 8);
  EXPECT_FALSE(two_levels(scattered, 0.03));
  std::vector<double> fewer = normal_values(100, 0.002, random);
  for (std::size_t i = 0; i < 4; ++i) fewer[40 + i] += 0.1;
  EXPECT_FALSE(two_levels(fewer, 0.03));  // less than a twentieth of the values are high
}

TEST(TwoLevels, AreFoundBesideOutliers) {
  std::mt19937_64 random(1);
  std::vector<double> values = normal_values(100, 0.002, random);
  for (std::size_t i = 50; i < 100; ++i) values[i] += 0.1;
  for (const std::size_t i : {5, 15, 25, 65, 75}) values[i] = 3;  // far above both levels
  EXPECT_TRUE(two_levels(values, 0.03));
}

TEST(TimeInterval, IsThatOfIndependentValuesWhereRoundsAre) {
  const std::vector<double> alternating{10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
  EXPECT_EQ(time_interval(alternating, 0.95), median_interval(alternating, 0.95));
  EXPECT_EQ(time_interval(std::vector<double>{}, 0.95), Interval{});
  EXPECT_EQ(time_interval(std::vector<double>{3, 1, 2}, 0.95), (Interval{2, 1, 3}));
}

TEST(TimeInterval, HoldsWhatQuartersOfTheSeriesSayOfIt) {
  std::mt19937_64 random(1);
  std::vector<double> values;
  for (const double value : normal_values(200, 0.001, random)) values.push_back(std::exp(value));
  for (std::size_t i = 150; i < 200; ++i) values[i] *= 1.01;  // 1 %: too close to be a level
  const Interval interval = time_interval(values, 0.95);
  EXPECT_LT(interval.low, 1.001);
  EXPECT_GT(interval.high, 1.008);
}

TEST(TimeInterval, HoldsBothLevels) {
  std::mt19937_64 random(1);
  std::vector<double> values;
  for (const double value : normal_values(120, 0.001, random)) values.push_back(std::exp(value));
  for (std::size_t i = 60; i < 75; ++i) values[i] *= 1.5;
  const Interval interval = time_interval(values, 0.95);
  EXPECT_NEAR(interval.value, 1, 0.01);
  EXPECT_NEAR(interval.low, 1, 0.01);
  EXPECT_GE(interval.high, 1.49);
}

TEST(TimeInterval, HoldsNearlyAllRoundsWhereTheyAreWorthTooFew) {
  const std::vector<double> values = repeated({1, 4, 2, 3}, 20);  // 80 rounds, but only 4 values
  EXPECT_EQ(time_interval(values, 0.95), (Interval{2.5, 1, 4}));
}

TEST(EnoughRounds, AreSixAtNinetyFivePerCent) {
  EXPECT_TRUE(enough_rounds(std::vector<double>(6, 1.0), 0.95));
  EXPECT_FALSE(enough_rounds(std::vector<double>(5, 1.0), 0.95));
}

TEST(PairedRatio, PairsRoundsAndKeepsTheOrderStatistics) {
  // In every second round, the machine is four times as slow for both cases, so their ratio does
  // not change.
  std::vector<double> a, b;
  for (int i = 0; i < 10; ++i) {
    const double drift = 1 + 3.0 * (i % 2);
    a.push_back(drift * (100 + i));
    b.push_back(drift * 100);
  }
  const Interval ratio = paired_ratio(b, b, 0.95);
  EXPECT_EQ(ratio, (Interval{1, 1, 1}));
  std::swap(a[1], a[9]), std::swap(b[1], b[9]);  // shuffles the rounds, so that they have no trend
  std::swap(a[2], a[6]), std::swap(b[2], b[6]);
  std::swap(a[4], a[0]), std::swap(b[4], b[0]);
  const Interval skewed = paired_ratio(a, b, 0.95);
  EXPECT_NEAR(skewed.value, std::sqrt(1.04 * 1.05), 1e-12);
  EXPECT_NEAR(skewed.low, 1.01, 1e-12);
  EXPECT_NEAR(skewed.high, 1.08, 1e-12);
}

TEST(PairedRatio, SpansAllOfTwentyRoundsThatAreWorthTooFew) {
  std::vector<double> ramp(20), ones(20, 1.0);
  for (int i = 0; i < 20; ++i) ramp[i] = std::exp(i);
  const Interval ratio = paired_ratio(ramp, ones, 0.95);
  EXPECT_NEAR(std::log(ratio.value), 9.5, 1e-12);
  EXPECT_NEAR(std::log(ratio.low), 0, 1e-12);
  EXPECT_NEAR(std::log(ratio.high), 19, 1e-12);
}

TEST(LogRatios, AreOfTheRoundsThatBothHave) {
  EXPECT_THAT(log_ratios(std::vector<double>{2, 0, 3, 4, 5}, std::vector<double>{1, 1, 0, 4}),
              ElementsAre(testing::DoubleEq(std::log(2)), 0));
}

TEST(PairedRatio, LeavesOutWhatHasNoRatio) {
  EXPECT_EQ(paired_ratio(std::vector<double>{0, 2}, std::vector<double>{1, 2}, 0.95),
            (Interval{1, 1, 1}));
  EXPECT_EQ(paired_ratio(std::vector<double>{0}, std::vector<double>{0}, 0.95), Interval{});
  EXPECT_EQ(half_width(Interval{}), std::numeric_limits<double>::infinity());
}

TEST(Contradicts, IsMoreThanATenthOrTheOtherDirection) {
  EXPECT_FALSE(contradicts(2, 2.1));
  EXPECT_TRUE(contradicts(2, 2.3));
  EXPECT_TRUE(contradicts(0.09, 0.31));
  EXPECT_FALSE(contradicts(0.995, 1.005));
  EXPECT_TRUE(contradicts(0.98, 1.03));
  EXPECT_TRUE(contradicts(1.03, 0.98));
  EXPECT_FALSE(contradicts(1.03, 1.07));
}

TEST(HalfWidth, IsOnTheLogScale) {
  EXPECT_NEAR(half_width({1, 1 / 1.02, 1.02}), std::log(1.02), 1e-15);
}

}  // namespace
}  // namespace normbench::statistics_test
