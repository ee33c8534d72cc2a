#include "document/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

namespace normbench {
namespace {

constexpr std::size_t kBlock = 8;  // adjacent rounds behind one replicate of a correlated series

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  return n % 2 == 1 ? sorted[n / 2] : std::midpoint(sorted[n / 2 - 1], sorted[n / 2]);
}

/// The value below which a standard normal variable lies with this probability, by bisection.
double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::midpoint(low, high);
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median_of_sorted(values);
}

std::optional<std::pair<int, int>> median_interval_indices(int n, double level) {
  // The median lies below the order statistic r exactly when at most r values lie below the median:
  // a lower tail of Bin(n, 1/2). Its terms are kept as logarithms, since 2^-n underflows.
  const double allowed = (1 - level) / 2 * (1 + 1e-12);  // a tie is not lost to rounding
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
  std::vector<std::size_t> as_large(series.size(), 1);  // what was observed is one of the ways
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

std::vector<double> replicates(std::span<const double> values) {
  const double lag1 = lag1_autocorrelation(values);
  if (lag1 <= 0.1 || lag1 <= 2 / std::sqrt(static_cast<double>(values.size())))
    return {values.begin(), values.end()};
  std::vector<double> blocks;
  for (std::size_t first = 0; first + kBlock <= values.size(); first += kBlock) {
    const auto block = values.subspan(first, kBlock);
    blocks.push_back(median({block.begin(), block.end()}));
  }
  return blocks;
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
  const std::vector<double> units = replicates(rounds);
  // Too few replicates: only the extremes of all rounds are wide enough to be honest.
  const bool enough = median_interval_indices(static_cast<int>(units.size()), level).has_value();
  const Interval logs = enough ? median_interval(units, level) : median_interval(rounds, 1);
  return {.value = std::exp(logs.value), .low = std::exp(logs.low), .high = std::exp(logs.high)};
}

double half_width(const Interval& ratio) {
  if (ratio.low <= 0) return std::numeric_limits<double>::infinity();
  return (std::log(ratio.high) - std::log(ratio.low)) / 2;
}

}  // namespace normbench
