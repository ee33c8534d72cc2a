#include "backend/cpu/resize_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace normbench {
namespace {

/// The most taps of an output pixel that are summed one after the other. A longer sum is split into
/// parts, which is more exact.
constexpr std::int64_t most_shared_taps = 64;

/// Smaller weights are left out. They are the rounding errors of a weight 0, and would make an
/// input pixel reach a third output pixel.
constexpr double smallest_weight = 0x1p-40;

constexpr double largest_byte = 255;

bool has_shares(const Filter& filter) {
  const std::vector<Filter::Pixel>& pixels = filter.pixels;
  if (filter.most_taps > most_shared_taps) return false;
  for (std::size_t k = 2; k < pixels.size(); ++k)
    if (pixels[k - 2].past_last() > pixels[k].first) return false;
  return true;
}

/// Returns the shares of `from` input pixels in a filter that has them. `weights` are those of all
/// taps.
template <class Weight>
Shares<Weight> shares_of(const Filter& filter, const std::vector<Weight>& weights,
                         std::int64_t from) {
  const std::vector<Filter::Pixel>& pixels = filter.pixels;
  Shares<Weight> shares;
  shares.before.resize(static_cast<std::size_t>(from));
  shares.after.resize(static_cast<std::size_t>(from));
  for (std::size_t k = 0; k < pixels.size(); ++k)
    for (std::int64_t tap = pixels[k].begin; tap < pixels[k].end; ++tap) {
      const std::int64_t pixel = pixels[k].first + tap - pixels[k].begin;
      const bool is_after = k + 1 == pixels.size() || pixel < pixels[k + 1].first;
      auto& of_pixels = is_after ? shares.after : shares.before;
      of_pixels[static_cast<std::size_t>(pixel)] = weights[static_cast<std::size_t>(tap)];
    }
  return shares;
}

/// Multiplies the weights of an output pixel, whose sum is 1, by `sum` and rounds them to whole
/// numbers with that sum. If rounding to the nearest gives another sum, the weights with the
/// largest errors are rounded the other way. Returns the largest error of a weighted mean of bytes
/// that follows.
double round_weights(std::span<const double> weights, int sum, std::span<std::int16_t> to) {
  std::vector<double> errors(weights.size());
  int missing = sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    to[i] = static_cast<std::int16_t>(std::lrint(weights[i] * sum));
    errors[i] = to[i] - weights[i] * sum;
    missing -= to[i];
  }
  for (const int step = missing > 0 ? 1 : -1; missing != 0; missing -= step) {
    const auto [lowest, highest] = std::ranges::minmax_element(errors);
    const auto worst = (step > 0 ? lowest : highest) - errors.begin();
    errors[static_cast<std::size_t>(worst)] += step;
    to[static_cast<std::size_t>(worst)] += static_cast<std::int16_t>(step);
  }
  double above = 0, below = 0;  // the sum of errors is 0, but pixels may be 0 where it is below
  for (const double error : errors) (error > 0 ? above : below) += std::abs(error);
  return std::max(above, below) / sum * largest_byte;
}

/// Returns the largest sum of an output pixel's weights for which the weights, as whole numbers,
/// fit into 16 bits, and weighted sums of bytes into 32 bits.
int sum_of_weights(double largest_weight) {
  constexpr double most = std::numeric_limits<std::int16_t>::max() - 1;  // may be rounded up
  constexpr double largest_sum = 1 << 22;
  return static_cast<int>(std::min(largest_sum, most / largest_weight));
}

/// Sets the weights as whole numbers, if they are exact enough. `weights` are the exact ones.
void set_fixed(Filter& filter, const std::vector<double>& weights, std::int64_t from) {
  const int sum = sum_of_weights(std::ranges::max(weights));
  std::vector<std::int16_t> rounded(weights.size());
  for (const Filter::Pixel& pixel : filter.pixels) {
    const auto begin = static_cast<std::size_t>(pixel.begin),
               count = static_cast<std::size_t>(pixel.end - pixel.begin);
    const double error = round_weights(std::span(weights).subspan(begin, count), sum,
                                       std::span(rounded).subspan(begin, count));
    if (error > largest_fixed_error) return;
  }
  filter.fixed = shares_of(filter, rounded, from);
  filter.unit = 1 / static_cast<float>(sum);
}

/// Makes a filter, and stores the exact weights of its taps in `weights`.
Filter make(std::int64_t from, std::int64_t to, const AxisPart& part,
            std::vector<double>& weights) {
  const auto counts = [](double weight) { return weight > smallest_weight; };
  Filter filter;
  for (const Taps& taps : triangle_filter(from, to, part)) {
    const auto first = std::ranges::find_if(taps.weights, counts);
    const auto past_last = std::find_if(taps.weights.rbegin(), taps.weights.rend(), counts).base();
    const std::int64_t begin = std::ssize(weights);
    weights.insert(weights.end(), first, past_last);
    filter.pixels.push_back(
        {taps.first + (first - taps.weights.begin()), begin, std::ssize(weights)});
    filter.most_taps = std::max(filter.most_taps, std::ssize(weights) - begin);
  }
  filter.weights.assign(weights.begin(), weights.end());
  return filter;
}

}  // namespace

Filter make_filter(std::int64_t from, std::int64_t to, const AxisPart& part) {
  std::vector<double> weights;
  return make(from, to, part, weights);
}

Filter make_shared_filter(std::int64_t from, std::int64_t to, const AxisPart& part, DType dtype) {
  std::vector<double> weights;
  Filter filter = make(from, to, part, weights);
  if (!has_shares(filter)) return filter;
  filter.shares = shares_of(filter, filter.weights, from);
  if (dtype == DType::UInt8) set_fixed(filter, weights, from);
  return filter;
}

}  // namespace normbench
