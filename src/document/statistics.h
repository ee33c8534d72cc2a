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

/// The level of the intervals that end a group and stand in its tables. Rounds are looked at
/// several times: 96 % at each look leaves 95 % where a group stops.
inline constexpr double decision_level = 0.96;

double median(std::vector<double> values);

/// Zero-based indices (low, high) of the order statistics whose interval covers the median with at
/// least `level` (exact binomial), the narrowest symmetric one; nothing when n is too small.
std::optional<std::pair<int, int>> median_interval_indices(int n, double level);

/// The median of independent values with its exact order-statistic interval; the extremes when n is
/// too small (< 6 at 95 %).
Interval median_interval(std::vector<double> values, double level);

/// Wilson's score interval for a proportion: `successes` of `n` trials.
Interval wilson_interval(int successes, int n, double level);

/// One-sided p-values, one for each of several series of equal length, of "its values are as often
/// above 0 as below". They are adjusted so that the chance of any p-value below alpha is at most
/// alpha: single-step maxT (Westfall and Young, Resampling-Based Multiple Testing, 1993). A
/// series' statistic is its sum over the root of its sum of squares. Its p-value is how often the
/// largest of all statistics reaches it when signs are flipped, in all series at the same
/// positions: in every way up to 12 positions, beyond that in 4,095 drawn ways, always the same.
/// Values at one position may depend on each other, values at different ones must not. A missing
/// value is 0.
std::vector<double> family_p_values(const std::vector<std::vector<double>>& series);

double lag1_autocorrelation(std::span<const double> values);

/// How many independent rounds would give the median of a series as well as its rounds do, in the
/// order of time. It is their number over the integrated autocorrelation time of the signs of their
/// distances from the median, by Geyer's initial monotone sequence (Statistical Science 7, 1992),
/// with what taking the median away hides added back. It is the number of rounds where neighbours
/// agree no more often than by chance (lag 1 within a standard error).
double effective_rounds(std::span<const double> series);

/// The two levels of a series of logarithms that has no single one.
struct Levels {
  double low = 0, high = 0;                   // medians of the values below and above
  double between = 0;                         // a value in the gap
  std::size_t low_count = 0, high_count = 0;  // how many values lie on either side
};

/// The two levels of a series; nothing where it is one heap or has fewer than 20 values. They are
/// `least_apart` or more apart, with a gap twice as wide as the middle half of either. The smaller
/// heap has four values and a fifth of all, or a twentieth in runs of two or more on average.
std::optional<Levels> two_levels(std::span<const double> series, double least_apart);

/// From this factor on (3 %) two levels of a time are two states of the machine.
inline constexpr double other_state = 1.03;

/// The median of the times above 0, in the order of time, with an interval at `level` by
/// order statistics. The interval rests on as many rounds as they are worth
/// (effective_rounds). It spans the medians of the series' four quarters (from 24 rounds
/// on), and the medians of two levels where it has two (two_levels, other_state). Dependent
/// rounds that are worth fewer than 14 lose at either end half of the share that as many
/// independent ones would lose, or a twentieth where they are fewer still. Too few
/// independent rounds for the level give their extremes. The times must have moved several
/// times while they were taken: no series shows a change that is slower than itself, or that
/// never came.
Interval time_interval(std::span<const double> times, double level);

/// True where a series has enough rounds for an interval at `level`. Dependent rounds make it
/// wider.
bool enough_rounds(std::span<const double> series, double level);

/// ln(numerator/denominator) of the rounds that both series have, where both are positive.
std::vector<double> log_ratios(std::span<const double> numerator,
                               std::span<const double> denominator);

/// exp of the median of the log ratios; the interval is the one of time_interval().
Interval paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                      double level);

/// The relative half-width of a ratio's interval, on the log scale; infinite without an interval.
double half_width(const Interval& ratio);

}  // namespace normbench
