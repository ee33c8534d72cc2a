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

/// The confidence level of the intervals in tables, and of the intervals whose width decides when
/// the measuring of a group ends. The latter are computed repeatedly until they are narrow, and
/// such stopping lowers the coverage of the last interval. At a level of 96 %, the last interval
/// covers the true value in 95 % of all runs.
inline constexpr double decision_level = 0.96;

/// Returns the median; 0 for no values.
double median(std::vector<double> values);

/// Returns the zero-based indices (low, high) of two order statistics of n values. The two are
/// symmetric about the middle. The true median lies between the two with a probability of at least
/// `level` (exact binomial), and no narrower symmetric pair has this property. Returns std::nullopt
/// if n is too small.
std::optional<std::pair<int, int>> median_interval_indices(int n, double level);

/// Returns the median of independent values, with the interval of median_interval_indices(). If
/// there are too few values (fewer than 6 at 95 %), the interval is their range.
Interval median_interval(std::vector<double> values, double level);

/// Returns Wilson's score interval for a proportion: `successes` of `n` trials.
Interval wilson_interval(int successes, int n, double level);

/// Returns a one-sided p-value for each of several series of equal length. The null hypothesis is
/// that the values are distributed symmetrically about 0. The alternative is that they tend to be
/// above 0. The p-values are adjusted by single-step maxT (Westfall and Young, Resampling-Based
/// Multiple Testing, 1993): if all null hypotheses hold, the probability that at least one p-value
/// is below alpha is at most alpha.
/// - The statistic of a series is the sum of its values divided by the square root of the sum of
///   their squares.
/// - A flip changes the signs of the values at some positions: at the same positions in all series.
/// - The p-value of a series is the share of flips after which the largest statistic of all series
///   is at least the original statistic of this series.
/// - For up to 12 positions all flips are made; for more, 4,095 random ones with a fixed seed, and
///   the flip of no position.
/// Values at different positions must be independent; values at the same position need not be. A
/// missing value is given as 0.
std::vector<double> family_p_values(const std::vector<std::vector<double>>& series);

/// Returns the autocorrelation at lag 1; 0 for fewer than two values or if all values are equal.
double lag1_autocorrelation(std::span<const double> values);

/// Returns the effective sample size of a series for its median: the number of independent rounds
/// that would give the median with the same precision. `series` is in order of time.
/// - It is the number of rounds divided by the integrated autocorrelation time of the series.
/// - The integrated autocorrelation time is computed from the signs of the differences from the
///   median, by Geyer's initial monotone sequence (Statistical Science 7, 1992). It is corrected
///   for the bias of subtracting the median of the same series.
/// - If the autocorrelation of the signs at lag 1 is at most its standard error, 1 / sqrt(rounds),
///   the rounds count as independent.
double effective_rounds(std::span<const double> series);

/// Two levels of a series of logarithms, with a gap without values between them.
struct Levels {
  double low = 0, high = 0;                   // medians of the values below and above the gap
  double between = 0;                         // a value in the gap
  std::size_t low_count = 0, high_count = 0;  // numbers of values below and above the gap
};

/// Returns the two levels of a series of at least 20 values in order of time. Returns std::nullopt
/// if the series does not meet all of these conditions:
/// - The levels differ by at least `least_apart`.
/// - A gap without values lies between them. It is more than twice as wide as the interquartile
///   range of the values on either side.
/// - Each side has at least four values and at least a fifth of all values. A twentieth is enough
///   if consecutive values of the smaller side form runs of mean length two or more.
std::optional<Levels> two_levels(std::span<const double> series, double least_apart);

/// Two levels of a time count as two states of the machine if they differ by at least this factor.
inline constexpr double other_state = 1.03;

/// Returns the median of the times above 0 with an interval at `level`. `times` is in order of
/// time.
/// - The interval cuts off the same share of the times at each end. This share is the same as for a
///   series of effective_rounds() independent times.
/// - If the times depend on each other and effective_rounds() is below 14, the share is halved. If
///   effective_rounds() is too small for an interval at `level`, the share is a twentieth.
/// - If the times are independent but too few for an interval at `level`, the interval is their
///   range.
/// - If there are 24 times or more, the interval is widened to contain the medians of the four
///   quarters of the series.
/// - If the times have two levels (two_levels() with `other_state`), the interval is widened to
///   contain the medians of both levels.
/// The interval does not cover changes of the machine that are slower than the series.
Interval time_interval(std::span<const double> times, double level);

/// Returns true if as many independent values as the series has would be enough for an interval at
/// `level`.
bool enough_rounds(std::span<const double> series, double level);

/// Returns ln(numerator/denominator) for each round that both series have. Leaves out rounds in
/// which at least one of the two values is not positive.
std::vector<double> log_ratios(std::span<const double> numerator,
                               std::span<const double> denominator);

/// Returns the median ratio: the exponential of the median of log_ratios(), with an interval as in
/// time_interval().
Interval paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                      double level);

/// Compares `of_medians`, the ratio of two medians, with `paired`, the median of the ratios of all
/// rounds. Returns true if they differ by more than 10 %, or if they differ by more than 2 % and
/// only one of them is above 1. This happens if the machine changes its speed between rounds.
bool contradicts(double of_medians, double paired);

/// Returns the half-width, on the log scale, of the interval of a ratio; infinity if `low` is 0.
double half_width(const Interval& ratio);

}  // namespace normbench
