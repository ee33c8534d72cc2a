#include "document/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

namespace normbench {
namespace {

constexpr std::size_t kQuarters = 4;
constexpr std::size_t kFewestInQuarters = 24;  // at least six rounds in each quarter
constexpr double kFewestDependent = 14;        // below this, effective_rounds() is uncertain

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  return n % 2 == 1 ? sorted[n / 2] : std::midpoint(sorted[n / 2 - 1], sorted[n / 2]);
}

/// Returns the quantile of the standard normal distribution, by bisection.
double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::midpoint(low, high);
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < probability ? low : high) = middle;
  }
  return low;
}

/// Returns the signs (1, 0 or -1) of the differences from the median, minus the mean of these
/// signs.
std::vector<double> signs(std::span<const double> values) {
  const double middle = median({values.begin(), values.end()});
  std::vector<double> signs;
  double sum = 0;
  for (const double value : values) {
    signs.push_back((value > middle) - (value < middle));
    sum += signs.back();
  }
  for (double& sign : signs) sign -= sum / static_cast<double>(signs.size());
  return signs;
}

class Autocorrelations {
 public:
  explicit Autocorrelations(std::vector<double> centred) : centred_(std::move(centred)) {
    square_ = product(0);
  }
  std::size_t size() const { return centred_.size(); }
  bool vary() const { return square_ > 0; }
  double at(std::size_t lag) {
    while (known_.size() <= lag) known_.push_back(product(known_.size()) / square_);
    return known_[lag];
  }

 private:
  double product(std::size_t lag) const {
    double sum = 0;
    for (std::size_t i = lag; i < centred_.size(); ++i) sum += centred_[i] * centred_[i - lag];
    return sum;
  }

  std::vector<double> centred_, known_;
  double square_ = 0;
};

/// Returns 1 + 2 * the sum of the autocorrelations from lag 1 on. To correct a bias, which
/// effective_rounds() explains, each autocorrelation r is first raised to r + hidden * (1 - r). The
/// sum is made of pairs of neighbouring lags. It ends before the first pair whose sum is not
/// positive. A pair counts for no more than the pair before it.
double integrated_time(Autocorrelations& seen, double hidden) {
  const auto at = [&](std::size_t lag) { return seen.at(lag) + hidden * (1 - seen.at(lag)); };
  double time = -1, last = 2;
  for (std::size_t lag = 0; lag + 1 < seen.size(); lag += 2) {
    const double pair = std::min(at(lag) + at(lag + 1), last);
    if (pair <= 0) break;
    time += 2 * pair;
    last = pair;
  }
  return std::clamp(time, 1.0, static_cast<double>(seen.size()));
}

/// Finds the widest gap between neighbouring values that leaves `fewest` values on each side.
/// Returns the levels on both sides of it. Returns std::nullopt if there is no such gap, or if the
/// gap or the levels do not meet the conditions of two_levels().
std::optional<Levels> levels_at_gap(std::span<const double> sorted, std::size_t fewest,
                                    double least_apart) {
  constexpr double clear = 2;
  std::size_t cut = 0;
  double gap = 0;
  for (std::size_t i = fewest; i + fewest <= sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] > gap) {
      gap = sorted[i] - sorted[i - 1];
      cut = i;
    }
  if (cut == 0) return std::nullopt;
  const auto below = sorted.first(cut), above = sorted.subspan(cut);
  const auto middle_half = [](std::span<const double> heap) {
    const std::size_t quarter = heap.size() / 4;
    return heap[heap.size() - 1 - quarter] - heap[quarter];
  };
  const Levels levels{.low = median_of_sorted(below),
                      .high = median_of_sorted(above),
                      .between = std::midpoint(below.back(), above.front()),
                      .low_count = below.size(),
                      .high_count = above.size()};
  const bool apart = levels.high - levels.low >= least_apart;
  const bool is_clear = gap > clear * std::max(middle_half(below), middle_half(above));
  return apart && is_clear ? std::optional(levels) : std::nullopt;
}

/// Considers the values on the side of the gap that has fewer values. Returns true if they come in
/// runs of consecutive values with a mean length of two or more.
bool come_in_runs(std::span<const double> series, const Levels& levels) {
  const bool fewer_above = levels.high_count < levels.low_count;
  std::size_t runs = 0;
  bool before = false;
  for (const double value : series) {
    const bool is_one = (value > levels.between) == fewer_above;
    if (is_one && !before) ++runs;
    before = is_one;
  }
  return std::min(levels.low_count, levels.high_count) >= 2 * runs;
}

struct Places {
  std::size_t low, high;
};

/// Returns the ends of the confidence interval that time_interval() describes, as indices of the
/// sorted series, before interval_places() widens the interval. `effective` is effective_rounds()
/// of the series.
Places places_of(std::size_t rounds, double effective, double level) {
  constexpr double smallest_share = 0.05;
  const bool depend = effective < static_cast<double>(rounds);
  const auto independent = static_cast<int>(effective);
  const auto indices = median_interval_indices(independent, level);
  if (!indices && !depend) return {0, rounds - 1};
  double share = indices ? (indices->first + 1.0) / (independent + 1.0) : smallest_share;
  if (indices && depend && effective < kFewestDependent) share /= 2;
  const double place = std::floor(share * static_cast<double>(rounds + 1) * (1 + 1e-12));
  const std::size_t low = static_cast<std::size_t>(std::max(place, 1.0)) - 1;
  return {low, rounds - 1 - low};
}

/// Widens the interval `places` (indices of `sorted`) so that it contains `value`.
void hold(std::span<const double> sorted, double value, Places& places) {
  const auto after = std::ranges::upper_bound(sorted, value);
  const auto from = std::ranges::lower_bound(sorted, value);
  const auto below = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - sorted.begin(), 1));
  const auto above = static_cast<std::size_t>(from - sorted.begin());
  places.low = std::min(places.low, below - 1);
  places.high = std::max(places.high, std::min(above, sorted.size() - 1));
}

/// Returns the ends of the confidence interval that time_interval() describes, as indices of the
/// sorted series. `logs` has the logarithms of times or ratios in order of time, and must not be
/// empty.
Places interval_places(std::span<const double> logs, double level) {
  const std::size_t rounds = logs.size();
  Places places = places_of(rounds, effective_rounds(logs), level);
  std::vector<double> sorted(logs.begin(), logs.end());
  std::ranges::sort(sorted);
  if (rounds >= kFewestInQuarters)
    for (std::size_t quarter = 0; quarter < kQuarters; ++quarter) {
      const std::size_t from = quarter * rounds / kQuarters,
                        to = (quarter + 1) * rounds / kQuarters;
      hold(sorted,
           median({logs.begin() + static_cast<std::ptrdiff_t>(from),
                   logs.begin() + static_cast<std::ptrdiff_t>(to)}),
           places);
    }
  if (const auto levels = two_levels(logs, std::log(other_state))) {
    hold(sorted, levels->low, places);
    hold(sorted, levels->high, places);
  }
  return places;
}

Interval interval_at(std::vector<double> values, const Places& places) {
  std::ranges::sort(values);
  return {
      .value = median_of_sorted(values), .low = values[places.low], .high = values[places.high]};
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median_of_sorted(values);
}

std::optional<std::pair<int, int>> median_interval_indices(int n, double level) {
  // The median lies below order statistic r (from 0) if at most r values lie below the median. The
  // probability of that is a lower tail of Bin(n, 1/2). The terms are kept as logarithms, because
  // 2^-n underflows.
  const double allowed = (1 - level) / 2 * (1 + 1e-12);  // the factor allows for rounding errors
  double log_term = -n * std::numbers::ln2;
  double tail = std::exp(log_term);
  int low = -1;
  while (tail <= allowed && 2 * (low + 1) < n - 1) {
    ++low;
    log_term += std::log(static_cast<double>(n - low) / (low + 1));
    tail += std::exp(log_term);
  }
  if (low < 0) return std::nullopt;
  return std::pair(low, n - 1 - low);
}

Interval median_interval(std::vector<double> values, double level) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const int n = static_cast<int>(values.size());
  const auto [low, high] = median_interval_indices(n, level).value_or(std::pair(0, n - 1));
  return {.value = median_of_sorted(values), .low = values[low], .high = values[high]};
}

Interval wilson_interval(int successes, int n, double level) {
  if (n <= 0) return {.value = 0, .low = 0, .high = 1};
  const double z = normal_quantile(1 - (1 - level) / 2);
  const double trials = n, share = successes / trials;
  const double scale = 1 + z * z / trials;
  const double centre = (share + z * z / (2 * trials)) / scale;
  const double half =
      z / scale * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  return {.value = share,
          .low = successes == 0 ? 0 : centre - half,
          .high = successes == n ? 1 : centre + half};
}

std::vector<double> family_p_values(const std::vector<std::vector<double>>& series) {
  constexpr std::size_t most_positions = 12;
  constexpr double as_good_as_equal = 1e-9;
  if (series.empty()) return {};
  const std::size_t positions = series.front().size();
  std::vector<double> norms;
  for (const std::vector<double>& values : series)
    norms.push_back(std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0)));
  std::vector<bool> turned(positions);
  const auto statistic = [&](std::size_t one) {
    double sum = 0;
    for (std::size_t i = 0; i < positions; ++i) sum += turned[i] ? -series[one][i] : series[one][i];
    return norms[one] > 0 ? sum / norms[one] : 0;
  };
  std::vector<double> observed;
  for (std::size_t one = 0; one < series.size(); ++one) observed.push_back(statistic(one));
  const bool all_ways = positions <= most_positions;
  const std::size_t ways = std::size_t{1} << std::min(positions, most_positions);
  std::mt19937_64 random(1);
  std::vector<std::size_t> as_large(series.size(), 1);  // 1 counts the flip of no position
  for (std::size_t way = 1; way < ways; ++way) {
    for (std::size_t i = 0; i < positions; ++i)
      turned[i] = ((all_ways ? way >> i : random() >> 63) & 1) != 0;
    double largest = statistic(0);
    for (std::size_t one = 1; one < series.size(); ++one)
      largest = std::max(largest, statistic(one));
    for (std::size_t one = 0; one < series.size(); ++one)
      if (largest >= observed[one] - as_good_as_equal) ++as_large[one];
  }
  std::vector<double> p_values;
  for (const std::size_t count : as_large)
    p_values.push_back(static_cast<double>(count) / static_cast<double>(ways));
  return p_values;
}

double lag1_autocorrelation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

double effective_rounds(std::span<const double> series) {
  const auto rounds = static_cast<double>(series.size());
  Autocorrelations seen(signs(series));
  if (series.size() < 3 || !seen.vary() || seen.at(1) <= 1 / std::sqrt(rounds)) return rounds;
  // The signs are relative to the median of the same series. This lowers each autocorrelation r by
  // about (1 - r) * time / rounds. The loop raises the autocorrelations by that much and computes
  // `time` again. Four steps are enough.
  constexpr int steps = 4;
  constexpr double most_hidden = 0.5;
  double time = integrated_time(seen, 0);
  for (int step = 1; step < steps; ++step)
    time = integrated_time(seen, std::min(time / rounds, most_hidden));
  return rounds / time;
}

std::optional<Levels> two_levels(std::span<const double> series, double least_apart) {
  constexpr std::size_t fewest = 4, fewest_values = 20;
  if (series.size() < fewest_values) return std::nullopt;
  std::vector<double> sorted(series.begin(), series.end());
  std::ranges::sort(sorted);
  if (const auto levels = levels_at_gap(sorted, std::max(fewest, sorted.size() / 5), least_apart))
    return levels;
  const auto levels = levels_at_gap(sorted, std::max(fewest, sorted.size() / 20), least_apart);
  return levels && come_in_runs(series, *levels) ? levels : std::nullopt;
}

Interval time_interval(std::span<const double> times, double level) {
  std::vector<double> positive, logs;
  for (const double time : times) {
    if (time <= 0) continue;
    positive.push_back(time);
    logs.push_back(std::log(time));
  }
  if (positive.empty()) return {};
  return interval_at(std::move(positive), interval_places(logs, level));
}

bool enough_rounds(std::span<const double> series, double level) {
  return median_interval_indices(static_cast<int>(series.size()), level).has_value();
}

std::vector<double> log_ratios(std::span<const double> numerator,
                               std::span<const double> denominator) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(numerator.size(), denominator.size()); ++i)
    if (numerator[i] > 0 && denominator[i] > 0)
      logs.push_back(std::log(numerator[i]) - std::log(denominator[i]));
  return logs;
}

Interval paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                      double level) {
  const std::vector<double> rounds = log_ratios(numerator, denominator);
  if (rounds.empty()) return {};
  const Interval logs = interval_at(rounds, interval_places(rounds, level));
  return {.value = std::exp(logs.value), .low = std::exp(logs.low), .high = std::exp(logs.high)};
}

bool contradicts(double of_medians, double paired) {
  const double apart = std::abs(std::log(of_medians / paired));
  return apart > std::log(1.1) || (apart > std::log(1.02) && (of_medians > 1) != (paired > 1));
}

double half_width(const Interval& ratio) {
  if (ratio.low <= 0) return std::numeric_limits<double>::infinity();
  return (std::log(ratio.high) - std::log(ratio.low)) / 2;
}

}  // namespace normbench
