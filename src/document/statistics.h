/// Pure statistics of rounds: order-statistic intervals, tests, ratios paired by round.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace normbench {

struct Interval {
  double value = 0, low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// Of the intervals that end a group and stand in its tables: rounds are looked at several times,
/// and 96 % at each look leaves 95 % where a group stops.
inline constexpr double decision_level = 0.96;

double median(std::vector<double> values);

/// Zero-based indices (low, high) of the order statistics whose interval covers the median with at
/// least `level` (exact binomial), the narrowest symmetric one; nothing when n is too small.
std::optional<std::pair<int, int>> median_interval_indices(int n, double level);

/// Median with its exact order-statistic interval; the extremes when n is too small (< 6 at 95 %).
Interval median_interval(std::vector<double> values, double level);

/// Wilson's score interval of a proportion: `successes` of `n` trials.
Interval wilson_interval(int successes, int n, double level);

/// P(at least `heads` of `n` fair coins): the one-sided p-value of a sign test.
double sign_test(int n, int heads);

/// Which of the hypotheses with these p-values Holm's step-down procedure rejects at `alpha`.
std::vector<bool> holm(std::span<const double> p_values, double alpha);

double lag1_autocorrelation(std::span<const double> values);

/// A series itself, or medians of 8 adjacent rounds if correlated (lag-1 above 0.1 and 2/sqrt(n)).
std::vector<double> replicates(std::span<const double> values);

/// ln(numerator/denominator) of the rounds that both have, and where both are positive.
std::vector<double> log_ratios(std::span<const double> numerator,
                               std::span<const double> denominator);

/// exp of the median of the log ratios, with its interval at `level` over the replicates; over too
/// few of them the interval spans all rounds.
Interval paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                      double level);

/// Half-width of a ratio's interval relative to its value, on the log scale; infinite without one.
double half_width(const Interval& ratio);

}  // namespace normbench
