/// Statistics of rounds: order-statistic intervals, tests, and ratios paired by round.
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

/// The level of the intervals in tables, and of the intervals whose width decides when a group
/// ends. The latter are computed several times while the group runs, which lowers their coverage.
/// With 96 % each time, the last interval still covers 95 %.
inline constexpr double decision_level = 0.96;

/// Returns the median; 0 for no values.
double median(std::vector<double> values);

/// Returns the zero-based indices (low, high) of the order statistics that bound the narrowest
/// symmetric interval for the median of n values. The interval covers the median with a probability
/// of at least `level` (exact binomial). Returns nothing if n is too small.
std::optional<std::pair<int, int>> median_interval_indices(int n, double level);

/// Returns the median of independent values with its exact order-statistic interval. If there are
/// too few values (fewer than 6 at 95 %), the interval is their range.
Interval median_interval(std::vector<double> values, double level);

/// Returns Wilson's score interval for a proportion: `successes` of `n` trials.
Interval wilson_interval(int successes, int n, double level);

/// Returns a one-sided p-value for each of several series of equal length. The hypothesis is that
/// the values are symmetric about 0; the alternative is that they are larger. The p-values are
/// adjusted by single-step maxT, so that any of them falls below alpha with a probability of at
/// most alpha (Westfall and Young, Resampling-Based Multiple Testing, 1993).
///
/// The statistic of a series is its sum over the root of its sum of squares. Its p-value is the
/// share of sign flips for which the largest statistic of all series is at least this statistic. A
/// flip changes the signs of all values at some positions. These positions are the same in all
/// series. All flips are used for
/// up to 12 positions; beyond that, 4,095 flips drawn with a fixed seed. Values at the same
/// position may depend on each other. Values at different positions must be independent. A missing
/// value is 0.
std::vector<double> family_p_values(const std::vector<std::vector<double>>& series);

/// Returns the autocorrelation at lag 1; 0 for fewer than two values or equal ones.
double lag1_autocorrelation(std::span<const double> values);

/// Returns the effective sample size of a series for its median: the number of independent rounds
/// that would give the median as exactly. `series` is in order of time. The result is the number of
/// rounds divided by their integrated autocorrelation time. That time is computed from the signs of
/// the differences from the median, by Geyer's initial monotone sequence (Statistical Science 7,
/// 1992). It is corrected for the bias that subtracting the median causes. If the lag-1
/// autocorrelation is at most a standard error, the result is the number of rounds.
double effective_rounds(std::span<const double> series);

/// The two levels of a series of logarithms.
struct Levels {
  double low = 0, high = 0;                   // medians of the values below and above the gap
  double between = 0;                         // a value in the gap
  std::size_t low_count = 0, high_count = 0;  // numbers of values below and above the gap
};

/// Returns the two levels of a series of at least 20 values in order of time. Returns nothing if
/// the series does not meet all of these conditions:
/// - The levels differ by at least `least_apart`.
/// - A gap without values lies between them. It is more than twice as wide as the interquartile
///   range of the values on either side.
/// - Each side has at least four values and at least a fifth of all values. A twentieth is enough
///   if consecutive values of the smaller side form runs of mean length two or more.
std::optional<Levels> two_levels(std::span<const double> series, double least_apart);

/// Two levels of a time that differ by at least this factor are two states of the machine.
inline constexpr double other_state = 1.03;

/// Returns the median of the times above 0 and its order-statistic interval at `level`. `times` is
/// in order of time.
/// - The interval leaves out a share of the times at each end: the share that it would leave out of
///   as many independent rounds as the times are worth (effective_rounds).
/// - If the times depend on each other and are worth fewer than 14 rounds, it leaves out only half
///   of that share. If they are worth too few rounds for the level, it leaves out a twentieth.
/// - If the times are independent but too few for the level, it is the range of the times.
/// - With 24 rounds or more it contains the medians of the four quarters.
/// - If the times have two levels (two_levels, other_state), it contains the medians of both.
/// The interval does not cover changes of the machine that are slower than the series.
Interval time_interval(std::span<const double> times, double level);

/// Returns true if the series has enough rounds for an interval at `level`, whether or not they
/// depend on each other.
bool enough_rounds(std::span<const double> series, double level);

/// Returns ln(numerator/denominator) for each round that both series have. Leaves out rounds in
/// which one of the two is not positive.
std::vector<double> log_ratios(std::span<const double> numerator,
                               std::span<const double> denominator);

/// Returns the exponential of the median of log_ratios(), with an interval as in time_interval().
Interval paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                      double level);

/// Returns the half-width of a ratio's interval on the log scale; infinite if `low` is 0.
double half_width(const Interval& ratio);

}  // namespace normbench
