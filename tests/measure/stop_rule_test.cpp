#include "measure/stop_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <random>

#include "document/statistics.h"

namespace normbench::stop_rule_test {
namespace {

using Random = std::mt19937_64;
using Noise = std::function<double(Random&)>;

/// The times of two contenders until the stop rule ended their run, and the reason why it ended.
/// Both contenders have the same strong drift. In each round, the log ratio of their times is 0.07
/// plus noise.
struct Stopped {
  std::vector<std::vector<double>> series{{}, {}};
  std::optional<Stop> reason;
};

Stopped run(const Noise& noise, Random& random, int most = 400) {
  Stopped run;
  StopRule rule(0.01, most);
  while (!run.reason) {
    const double rounds = static_cast<double>(run.series[0].size() + 1);
    const double drift = 1e6 * (2 + std::sin(rounds));
    run.series[0].push_back(drift);
    run.series[1].push_back(drift * std::exp(0.07 + noise(random)));
    run.reason = rule.decide(run.series, 0, rounds);
  }
  return run;
}

/// Shares of all runs:
/// - all: runs whose interval misses the true value,
/// - unnamed: runs whose interval misses the true value although two_levels() finds no two states
///   of the machine,
/// - named: runs in which two_levels() finds two states of the machine.
struct Missed {
  double all = 0, unnamed = 0, named = 0;
};

Missed missed(const std::function<Noise()>& make_noise, double truth, int runs) {
  Random random(1);
  Missed missed;
  for (int i = 0; i < runs; ++i) {
    const Stopped stopped = run(make_noise(), random);
    const Interval ratio = paired_ratio(stopped.series[1], stopped.series[0], decision_level);
    const double at = std::exp(0.07 + truth);
    const bool miss = at < ratio.low || ratio.high < at;
    const bool named =
        two_levels(log_ratios(stopped.series[1], stopped.series[0]), std::log(other_state))
            .has_value();
    missed.all += miss ? 1.0 / runs : 0;
    missed.unnamed += miss && !named ? 1.0 / runs : 0;
    missed.named += named ? 1.0 / runs : 0;
  }
  return missed;
}

constexpr int kWorlds = 1500;

double normal(Random& random) { return std::normal_distribution(0.0, 0.02)(random); }

/// Draws from Student's t distribution with 2 degrees of freedom, which has no finite variance.
double heavy(Random& random) { return 0.01 * std::student_t_distribution(2.0)(random); }

/// Draws from an exponential distribution, shifted to median 0. Like a time, it has a sharp lower
/// limit.
double skewed(Random& random) {
  return 0.03 * (std::exponential_distribution(1.0)(random) - std::numbers::ln2);
}

/// Draws the noise of a quiet machine. In a tenth of the rounds, a neighbour changes the time by up
/// to a factor of two, up or down.
double jumps(Random& random) {
  const double jump = std::uniform_real_distribution(-1.0, 1.0)(random);
  return std::normal_distribution(0.0, 0.01)(random) + (std::abs(jump) < 0.1 ? 7 * jump : 0);
}

/// Returns normal noise with lag-1 autocorrelation `lag1`.
Noise correlated(double lag1) {
  return [lag1, last = std::optional<double>()](Random& random) mutable {
    const double next = normal(random);
    last = last ? lag1 * *last + std::sqrt(1 - lag1 * lag1) * next : next;
    return *last;
  };
}

/// Returns the noise of a machine with a neighbour that adds 0.3 to the log of the time for about
/// ten rounds. The neighbour starts in a round with probability 1/20.
Noise bursts() {
  return [left = 0](Random& random) mutable {
    const double noise = std::normal_distribution(0.0, 0.01)(random);
    if (left > 0) return --left, noise + 0.3;
    if (std::bernoulli_distribution(0.05)(random)) {
      left = static_cast<int>(std::exponential_distribution(0.1)(random));
      return noise + 0.3;
    }
    return noise;
  };
}

/// Returns the noise of a host with two speeds, which are 12 % apart. The host changes its speed
/// about every 40 rounds.
Noise two_states() {
  return [state = 0](Random& random) mutable {
    if (state == 0) state = std::bernoulli_distribution(0.5)(random) ? 1 : -1;
    if (std::bernoulli_distribution(1.0 / 40)(random)) state = -state;
    return 0.06 * state + std::normal_distribution(0.0, 0.005)(random);
  };
}

/// Returns the median of a long series of the noise.
double median_of(Noise noise) {
  Random random(2);
  std::vector<double> values;
  for (int i = 0; i < 400'000; ++i) values.push_back(noise(random));
  return median(std::move(values));
}

TEST(StoppedRun, MissesTheTruthAsRarelyAsItSaysWhereRoundsAreIndependent) {
  for (const Noise& noise : {Noise(normal), Noise(heavy), Noise(skewed), Noise(jumps)}) {
    const Missed of = missed([&] { return noise; }, 0, kWorlds);
    EXPECT_LE(of.all, 0.05);
    EXPECT_LE(of.named, 0.01);  // two states are rarely found where there is one
  }
}

TEST(StoppedRun, MissesTheTruthRarelyWhereRoundsDependOnEachOther) {
  EXPECT_LE(missed([] { return correlated(0.5); }, 0, kWorlds).all, 0.07);
  EXPECT_LE(missed([] { return correlated(0.9); }, 0, kWorlds).all, 0.07);
  EXPECT_LE(missed(bursts, median_of(bursts()), kWorlds).all, 0.07);
}

TEST(StoppedRun, MissesNoMoreThanATenthOrNamesTwoStates) {
  EXPECT_LE(missed([] { return correlated(0.98); }, 0, kWorlds).unnamed, 0.10);
  const Missed of = missed(two_states, 0, kWorlds);
  EXPECT_LE(of.unnamed, 0.10);
  EXPECT_GE(of.named, 0.85);
}

std::vector<double> alternating(int rounds, double width) {
  std::vector<double> values;
  for (int i = 0; i < rounds; ++i) values.push_back(100 * std::exp(i % 2 == 0 ? width : -width));
  return values;
}

TEST(StopRule, LooksOnlyWhereItMay) {
  StopRule rule(0.01, 1000);
  std::vector<int> stopped;
  for (int rounds = 1; rounds <= 500; ++rounds) {
    const std::vector<std::vector<double>> series{std::vector<double>(rounds, 100.0),
                                                  alternating(rounds, 0.001)};
    if (rule.decide(series, 0, 0) == Stop::Precision) stopped.push_back(rounds);
  }
  EXPECT_EQ(stopped, (std::vector<int>{120, 240, 480}));
}

TEST(StopRule, LooksAfterTheBlockThatHoldsTheRound) {
  StopRule rule(0.01, 1000);
  std::vector<int> stopped;
  for (int rounds = 7; rounds <= 490; rounds += 7) {  // a block of seven contenders has 7 rounds
    const std::vector<std::vector<double>> series(7, alternating(rounds, 0.001));
    if (rule.decide(series, 3, 0)) stopped.push_back(rounds);
  }
  EXPECT_EQ(stopped, (std::vector<int>{126, 245, 483}));
}

TEST(StopRule, WaitsForTheWidestRatio) {
  const std::vector<double> flat(StopRule::first_look, 100.0);
  const std::vector<std::vector<double>> narrow{flat, alternating(StopRule::first_look, 0.009)};
  const std::vector<std::vector<double>> wide{flat, alternating(StopRule::first_look, 0.011),
                                              alternating(StopRule::first_look, 0.001)};
  StopRule a(0.01, 1000), b(0.01, 1000);
  EXPECT_EQ(a.half_width(), 0);
  EXPECT_EQ(a.decide(narrow, 0, 0), Stop::Precision);
  EXPECT_NEAR(a.half_width(), 0.009, 1e-12);
  EXPECT_EQ(b.decide(wide, 0, 0), std::nullopt);
  EXPECT_NEAR(b.half_width(), 0.011, 1e-12);
}

TEST(StopRule, WaitsForRoundsThatAreWorthFortyIndependentOnes) {
  // Each value is repeated for eight rounds. The 120 rounds are therefore worth no more than 15
  // independent rounds, although their interval is narrow.
  std::vector<double> in_blocks;
  Random random(5);
  std::normal_distribution<double> noise(0, 0.002);
  for (int block = 0; block < StopRule::first_look / 8; ++block)
    in_blocks.insert(in_blocks.end(), 8, 100 * std::exp(noise(random)));
  StopRule rule(0.01, 1000);
  EXPECT_EQ(rule.decide(std::vector<std::vector<double>>{in_blocks}, 0, 0), std::nullopt);
  EXPECT_LE(rule.half_width(), 0.01);
}

TEST(StopRule, HoldsAContenderAloneToItsOwnInterval) {
  StopRule narrow(0.01, 1000), wide(0.01, 1000);
  EXPECT_EQ(narrow.decide(
                std::vector<std::vector<double>>{alternating(StopRule::first_look, 0.009)}, 0, 0),
            Stop::Precision);
  EXPECT_EQ(
      wide.decide(std::vector<std::vector<double>>{alternating(StopRule::first_look, 0.011)}, 0, 0),
      std::nullopt);
}

TEST(StopRule, NeedsTwelveRoundsWhateverTheTime) {
  for (const int rounds : {1, 11, 12, 13}) {
    StopRule rule(0.01, 5);
    const std::vector series{alternating(rounds, 1), std::vector<double>(rounds, 100.0)};
    EXPECT_EQ(rule.decide(series, 0, 4.9), std::nullopt);
    EXPECT_EQ(rule.decide(series, 0, 5.0), rounds < 12 ? std::nullopt : std::optional(Stop::Time));
  }
}

TEST(StopRule, EachProcessTakesItsShareOfTheFewestRounds) {
  for (const int rounds : {1, 3, 4, 5}) {
    StopRule rule(0.01, 2, 3);
    const std::vector series{alternating(rounds, 1), std::vector<double>(rounds, 100.0)};
    EXPECT_EQ(rule.decide(series, 0, 1.9), std::nullopt);
    EXPECT_EQ(rule.decide(series, 0, 2.0), rounds < 4 ? std::nullopt : std::optional(Stop::Time));
  }
}

TEST(StopRule, NeverSeesAContenderWithoutARatioAsPrecise) {
  StopRule rule(0.01, 1000);
  const std::vector<double> flat(StopRule::first_look, 100.0), none(StopRule::first_look, 0.0);
  EXPECT_EQ(rule.decide(std::vector{flat, none, flat}, 0, 0), std::nullopt);
}

TEST(StopRule, DoesNotDependOnWhereIntervalsLie) {
  for (const double factor : {0.001, 0.5, 1.01, 3.0, 1e6}) {
    Random random(3);
    for (int i = 0; i < 50; ++i) {
      const Stopped original = run(normal, random);
      StopRule rule(0.01, 400);
      std::vector<std::vector<double>> series{{}, {}};
      std::optional<Stop> reason;
      while (!reason) {
        const std::size_t next = series[0].size();
        ASSERT_LT(next, original.series[0].size());
        series[0].push_back(original.series[0][next]);
        series[1].push_back(original.series[1][next] * factor);
        reason = rule.decide(series, 0, static_cast<double>(next + 1));
      }
      EXPECT_EQ(reason, original.reason);
      EXPECT_EQ(series[0].size(), original.series[0].size());
    }
  }
}

}  // namespace
}  // namespace normbench::stop_rule_test
