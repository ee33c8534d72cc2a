/// How often many comparisons at once call something different that is not.
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

/// Four standard deviations of a share of the trials whose expectation this is.
double error_of(double share, int trials = kTrials) {
  return 4 * std::sqrt(share * (1 - share) / trials);
}

std::vector<bool> bonferroni(const std::vector<double>& p_values) {
  std::vector<bool> rejected;
  for (const double p : p_values)
    rejected.push_back(p <= kAlpha / static_cast<double>(p_values.size()));
  return rejected;
}

bool any(const std::vector<bool>& rejected, std::size_t first = 0) {
  return std::find(rejected.begin() + static_cast<std::ptrdiff_t>(first), rejected.end(), true) !=
         rejected.end();
}

TEST(Holm, StepsDownUntilTheFirstThatStays) {
  EXPECT_THAT(holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}, kAlpha),
              ElementsAre(true, false, false, true));  // 0.005 <= a/4, 0.01 <= a/3, 0.03 > a/2
  EXPECT_THAT(holm(std::vector<double>{0.03, 0.02, 0.04}, kAlpha),
              ElementsAre(false, false, false));  // 0.02 > a/3, though 0.04 <= a
  EXPECT_THAT(holm(std::vector<double>{0.05}, kAlpha), ElementsAre(true));
  EXPECT_THAT(holm(std::vector<double>{0.0125, 0.0125, 0.0125, 0.0125}, kAlpha),
              ElementsAre(true, true, true, true));
  EXPECT_THAT(holm(std::vector<double>{}, kAlpha), ElementsAre());
}

TEST(Holm, ErrsAsOftenAsItMayUnderTheGlobalNull) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  for (const std::size_t k : {1, 2, 5, 21}) {
    int errors = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> p_values(k);
      for (double& p : p_values) p = uniform(random);
      errors += any(holm(p_values, kAlpha)) ? 1 : 0;
    }
    const double size = static_cast<double>(k);
    const double expected = 1 - std::pow(1 - kAlpha / size, size);  // the smallest decides
    EXPECT_NEAR(static_cast<double>(errors) / kTrials, expected, error_of(expected)) << k;
  }
}

TEST(Holm, ErrsNoMoreOftenWhereSomeHypothesesAreFalseOrAllDepend) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform;
  constexpr std::size_t kFalse = 4, kTrue = 6;
  int errors = 0, dependent_errors = 0, found = 0, found_by_bonferroni = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> p_values(kFalse + kTrue);
    for (std::size_t i = 0; i < p_values.size(); ++i)
      p_values[i] = std::pow(uniform(random), i < kFalse ? 8 : 1);
    const std::vector<bool> rejected = holm(p_values, kAlpha), fixed = bonferroni(p_values);
    errors += any(rejected, kFalse) ? 1 : 0;
    for (std::size_t i = 0; i < rejected.size(); ++i) EXPECT_TRUE(rejected[i] || !fixed[i]);
    found += static_cast<int>(std::count(rejected.begin(), rejected.end(), true));
    found_by_bonferroni += static_cast<int>(std::count(fixed.begin(), fixed.end(), true));
    const double shared = uniform(random);
    dependent_errors += any(holm(std::vector<double>(kTrue, shared), kAlpha)) ? 1 : 0;
  }
  EXPECT_LE(static_cast<double>(errors) / kTrials, kAlpha + error_of(kAlpha));
  EXPECT_NEAR(static_cast<double>(dependent_errors) / kTrials, kAlpha / kTrue,
              error_of(kAlpha / kTrue));
  EXPECT_GT(found, found_by_bonferroni);
}

/// Rounds of contenders that do not differ, with heavy tails and a drift that all share.
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
  EXPECT_GT(errors, 0);  // the intervals are not needlessly wide
  EXPECT_LE(static_cast<double>(single_errors) / kRuns, kAlpha + error_of(kAlpha, kRuns));
  EXPECT_GT(single_errors, kRuns / 100);
}

}  // namespace
}  // namespace normbench::multiplicity_test
