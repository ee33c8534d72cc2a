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

/// Median of independent values with its exact order-statistic interval; the extremes when n is too
/// small (< 6 at 95 %).
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

/// How many independent rounds would tell the median of a series, in the order of time, as well as
/// its rounds do: their number over the integrated autocorrelation time of the signs of their
/// distances from the median, by Geyer's initial monotone sequence (Statistical Science 7, 1992),
/// with what taking the median away hides added back. The number itself where neighbours agree no
/// more often than chance would have them (lag 1 within a standard error).
double effective_rounds(std::span<const double> series);

/// Two levels that a series of logarithms lies at instead of one.
struct Levels {
  double low = 0, high = 0;                   // medians of the values below and above
  double between = 0;                         // a value in the gap
  std::size_t low_count = 0, high_count = 0;  // how many values lie on either side
};

/// Nothing where the series is one heap, or has fewer than 20 values. Two are `least_apart` or more
/// apart, with a gap twice as wide as the middle half of either; the smaller one has four values
/// and a fifth of all, or a twentieth that come in runs of two or more on average.
std::optional<Levels> two_levels(std::span<const double> series, double least_apart);

/// From here on (3 %) two levels of a time are two states of the machine.
inline constexpr double other_state = 1.03;

/// Median of the times above 0, in the order in which they were taken, with an interval at `level`
/// that rests on as many rounds as they are worth (effective_rounds), by order statistics. It is
/// never narrower than what the medians of four quarters of the series span (of 24 rounds or more),
/// nor than the medians of two levels, where it has two (two_levels, other_state). Of rounds that
/// depend on each other and are worth fewer than 14 it holds all but half of the share at either
/// end that as many independent ones would leave out, of fewer still all but a twentieth at either
/// end; and it is the extremes of independent rounds that are too few for the level. It assumes
/// that what moved the times did so several times while they were taken: of a change that is slower
/// than the whole series, or never came, no series can tell.
Interval time_interval(std::span<const double> times, double level);

/// Whether a series has enough rounds for an interval at `level`; where they depend on each other,
/// that interval is wider.
bool enough_rounds(std::span<const double> series, double level);

/// ln(numerator/denominator) of the rounds that both have, and where both are positive.
std::vector<double> log_ratios(std::span<const double> numerator,
                               std::span<const double> denominator);

/// exp of the median of the log ratios, with its interval at `level` as time_interval() says.
Interval paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                      double level);

/// Half-width of a ratio's interval relative to its value, on the log scale; infinite without one.
double half_width(const Interval& ratio);

}  // namespace normbench
