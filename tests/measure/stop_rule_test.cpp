#include "measure/stop_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "document/statistics.h"

namespace normbench::stop_rule_test {
namespace {

using Random = std::mt19937_64;
using Noise = std::function<double(Random&)>;

/// Feeds rounds whose log ratio is 0.07 plus noise until the rule stops; at most 320 rounds. The
/// machine drifts as it likes.
struct Stopped {
  std::vector<std::vector<double>> series{{}, {}};
  std::optional<Stop> reason;
};

Stopped run(const Noise& noise, Random& random) {
  Stopped run;
  StopRule rule(0.01, 320);
  while (!run.reason) {
    const double rounds = static_cast<double>(run.series[0].size() + 1);
    const double drift = 1e6 * (2 + std::sin(rounds));
    run.series[0].push_back(drift);
    run.series[1].push_back(drift * std::exp(0.07 + noise(random)));
    run.reason = rule.decide(run.series, 0, rounds);
  }
  return run;
}

/// Share of stopped runs whose interval holds the truth.
double coverage(const std::function<Noise()>& make_noise, int runs) {
  Random random(1);
  int covered = 0;
  for (int i = 0; i < runs; ++i) {
    const Stopped stopped = run(make_noise(), random);
    const Interval ratio = paired_ratio(stopped.series[1], stopped.series[0], decision_level);
    covered += ratio.low <= std::exp(0.07) && std::exp(0.07) <= ratio.high;
  }
  return static_cast<double>(covered) / runs;
}

constexpr int kRuns = 20000;
const double kSimulationError = 3 * std::sqrt(0.95 * 0.05 / kRuns);

double normal(Random& random) { return std::normal_distribution(0.0, 0.03)(random); }

/// Student's t with 2 degrees of freedom: a tail without variance.
double heavy(Random& random) { return 0.02 * std::student_t_distribution(2.0)(random); }

/// Times are never faster than the hardware: an exponential, shifted to median 0.
double skewed(Random& random) {
  return 0.03 * (std::exponential_distribution(1.0)(random) - std::numbers::ln2);
}

/// A quiet machine with a neighbour that doubles every tenth round, up or down.
double bursts(Random& random) {
  const double burst = std::uniform_real_distribution(-1.0, 1.0)(random);
  return std::normal_distribution(0.0, 0.01)(random) + (std::abs(burst) < 0.1 ? 7 * burst : 0);
}

/// Normal noise with this lag-1 autocorrelation.
Noise correlated(double lag1) {
  return [lag1, last = 0.0](Random& random) mutable {
    return last = lag1 * last + std::sqrt(1 - lag1 * lag1) * normal(random);
  };
}

TEST(StoppedRun, CoversAtTheStatedLevel) {
  for (const Noise& noise : {Noise(normal), Noise(heavy), Noise(skewed), Noise(bursts)})
    EXPECT_GE(coverage([&] { return noise; }, kRuns), 0.95 - kSimulationError);
}

TEST(StoppedRun, CoversWhenRoundsAreCorrelated) {
  EXPECT_GE(coverage([] { return correlated(0.2); }, kRuns), 0.90);
}

std::vector<double> alternating(int rounds, double width) {
  std::vector<double> values;
  for (int i = 0; i < rounds; ++i) values.push_back(100 * std::exp(i % 2 == 0 ? width : -width));
  return values;
}

TEST(StopRule, LooksOnlyWhereItMay) {
  StopRule rule(0.01, 1000);
  std::vector<int> stopped;
  for (int rounds = 1; rounds <= 90; ++rounds) {
    const std::vector<std::vector<double>> series{std::vector<double>(rounds, 100.0),
                                                  alternating(rounds, 0.001)};
    if (rule.decide(series, 0, 0) == Stop::Precision) stopped.push_back(rounds);
  }
  EXPECT_EQ(stopped, (std::vector<int>{20, 40, 80}));
}

TEST(StopRule, LooksAfterTheBlockThatHoldsTheRound) {
  StopRule rule(0.01, 1000);
  std::vector<int> stopped;
  for (int rounds = 7; rounds <= 91; rounds += 7) {  // blocks of seven contenders
    const std::vector<std::vector<double>> series(7, alternating(rounds, 0.001));
    if (rule.decide(series, 3, 0)) stopped.push_back(rounds);
  }
  EXPECT_EQ(stopped, (std::vector<int>{21, 42, 84}));
}

TEST(StopRule, WaitsForTheWidestRatio) {
  const std::vector<double> flat(20, 100.0);
  const std::vector<std::vector<double>> narrow{flat, alternating(20, 0.009)};
  const std::vector<std::vector<double>> wide{flat, alternating(20, 0.011), alternating(20, 0.001)};
  StopRule a(0.01, 1000), b(0.01, 1000);
  EXPECT_EQ(a.half_width(), 0);
  EXPECT_EQ(a.decide(narrow, 0, 0), Stop::Precision);
  EXPECT_NEAR(a.half_width(), 0.009, 1e-12);
  EXPECT_EQ(b.decide(wide, 0, 0), std::nullopt);
  EXPECT_NEAR(b.half_width(), 0.011, 1e-12);
}

TEST(StopRule, HoldsAContenderAloneToItsOwnInterval) {
  StopRule narrow(0.01, 1000), wide(0.01, 1000);
  EXPECT_EQ(narrow.decide(std::vector<std::vector<double>>{alternating(20, 0.009)}, 0, 0),
            Stop::Precision);
  EXPECT_EQ(wide.decide(std::vector<std::vector<double>>{alternating(20, 0.011)}, 0, 0),
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

TEST(StopRule, NeverSeesAContenderWithoutARatioAsPrecise) {
  StopRule rule(0.01, 1000);
  const std::vector<double> flat(20, 100.0), none(20, 0.0);
  EXPECT_EQ(rule.decide(std::vector{flat, none, flat}, 0, 0), std::nullopt);
}

TEST(StopRule, DoesNotDependOnWhereIntervalsLie) {
  for (const double factor : {0.001, 0.5, 1.01, 3.0, 1e6}) {
    Random random(3);
    for (int i = 0; i < 50; ++i) {
      const Stopped original = run(normal, random);
      StopRule rule(0.01, 320);
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
