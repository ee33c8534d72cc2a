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

/// One-sided p-values of "its values are as often above 0 as below" for each of several series of
/// equal length, adjusted so that any of them is below alpha by chance with at most that
/// probability: single-step maxT (Westfall and Young, Resampling-Based Multiple Testing, 1993). A
/// series' statistic is its sum over the root of its sum of squares; its p-value is how often the
/// largest of all statistics is at least that when signs are turned, of all series at the same
/// positions: every such way up to 12 positions, beyond that 4,095 drawn ones, always the same. So
/// it is as small with many series as with one. Values at a position may depend on each other,
/// values at different ones must not. A value that there is not is 0.
std::vector<double> family_p_values(const std::vector<std::vector<double>>& series);

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
