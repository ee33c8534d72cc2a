#include "backend/cpu/resize_filter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace normbench {
namespace {

/// The most taps of an output pixel that are summed one after the other. A longer sum is split into
/// parts, which is more exact.
constexpr std::int64_t most_shared_taps = 64;

/// Weights below this number are left out. They are the rounding errors of a weight 0, and would
/// make an input pixel reach a third output pixel.
constexpr double smallest_weight = 0x1p-40;

constexpr std::int64_t largest_weight = std::numeric_limits<std::int16_t>::max();
/// The largest allowed sum of whole-number weights. Any sum of bytes with such weights fits into 32
/// bits.
constexpr std::int64_t largest_sum = std::numeric_limits<std::int32_t>::max() / 256;
/// Numbers that are at most this far from whole numbers count as whole. The weights that are
/// computed from them are then exact enough for `byte_resize_error`.
constexpr double rounding_error = 1e-6;

bool has_shares(const Filter& filter) {
  const std::vector<Filter::Pixel>& pixels = filter.pixels;
  if (filter.most_taps > most_shared_taps) return false;
  for (std::size_t k = 2; k < pixels.size(); ++k)
    if (pixels[k - 2].past_last() > pixels[k].first) return false;
  return true;
}

/// Returns the shares of the `from` input pixels. The filter must have shares (has_shares()).
Shares shares_of(const Filter& filter, std::int64_t from) {
  Shares shares;
  shares.before.resize(static_cast<std::size_t>(from));
  shares.after.resize(static_cast<std::size_t>(from));
  for (std::int64_t k = 0; k < std::ssize(filter.pixels); ++k) {
    const Filter::Pixel& pixel = filter.pixels[static_cast<std::size_t>(k)];
    for (std::int64_t p = pixel.first; p < pixel.past_last(); ++p) {
      std::vector<float>& weights = p < filter.first_of(k + 1) ? shares.after : shares.before;
      weights[static_cast<std::size_t>(p)] =
          filter.weights[static_cast<std::size_t>(pixel.begin + p - pixel.first)];
    }
  }
  return shares;
}

/// A unit in which all distances between the centres of input and output pixels are whole numbers.
/// An input pixel is 2 * `half` units long. Output pixel 0 begins `begin` units after input pixel
/// 0, and output pixels are 2 * `half_step` units long.
struct Units {
  std::int64_t half, begin, half_step;

  /// Returns the half-width of the triangle.
  std::int64_t reach() const { return 2 * std::max(half, half_step); }
  /// Returns the weight of input pixel p in output pixel k.
  std::int64_t weight(std::int64_t k, std::int64_t p) const {
    const std::int64_t distance = half * (2 * p + 1) - begin - half_step * (2 * k + 1);
    return std::max<std::int64_t>(0, reach() - std::abs(distance));
  }
};

bool is_whole(double number, double error) {
  return std::abs(number - std::round(number)) <= error;
}

/// Returns the largest units in which the distances are whole numbers. Returns nothing if weights
/// in these units may not fit into 16 bits.
std::optional<Units> units_of(std::int64_t to, const AxisPart& part) {
  const double scale = part.length / static_cast<double>(to);
  const double error = rounding_error / static_cast<double>(2 * to);
  for (std::int64_t half = 1;; ++half) {
    const auto halves = static_cast<double>(half);
    const double step = halves * scale, begin = 2 * halves * part.begin;
    if (2 * (std::max(halves, step) + halves) > largest_weight) return std::nullopt;
    if (is_whole(step, error) && is_whole(begin, rounding_error))
      return Units{half, std::llround(begin), std::llround(step)};
  }
}

/// Returns the weights of the filter as whole numbers, in the units `units`. Returns no weights if
/// sums of weighted bytes may not fit into 32 bits.
WholeWeights whole_weights(const Filter& filter, const Units& units) {
  WholeWeights whole;
  for (const Filter::Pixel& pixel : filter.pixels)
    whole.pairs = std::max(whole.pairs, (pixel.past_last() + 1) / 2 - pixel.first / 2);
  for (std::int64_t k = 0; k < std::ssize(filter.pixels); ++k) {
    const Filter::Pixel& pixel = filter.pixels[static_cast<std::size_t>(k)];
    const std::int64_t begin = std::ssize(whole.weights), first_pair = pixel.first / 2;
    std::int64_t sum = 0;
    for (std::int64_t p = 2 * first_pair; p < 2 * (first_pair + whole.pairs); ++p) {
      const bool is_tap = pixel.first <= p && p < pixel.past_last();
      const std::int64_t weight = is_tap ? units.weight(k, p) : 0;
      whole.weights.push_back(static_cast<std::int16_t>(weight));
      sum += weight;
    }
    if (sum > largest_sum) return {};
    whole.pixels.push_back(
        {first_pair, begin, sum, 1 / static_cast<float>(sum), narrowing_of(sum)});
  }
  constexpr std::int64_t largest_sum_of_words = std::numeric_limits<std::uint16_t>::max();
  whole.pairs_per_sum = largest_sum_of_words / (2 * units.reach());
  return whole;
}

/// Returns the first run among the input pixels [begin, end), with the weights in output pixel k
/// and in the output pixel before it.
EvenRun first_run(const Units& units, std::int64_t k, std::int64_t begin, std::int64_t end) {
  const auto before = [&](std::int64_t p) { return k == 0 ? 0 : units.weight(k - 1, p); };
  const auto after = [&](std::int64_t p) { return units.weight(k, p); };
  const auto step = [&](auto weight, std::int64_t p) { return weight(p - 1) - weight(p); };
  std::int64_t past = begin + 1;
  while (past < std::min(end, begin + most_pixels_of_a_run) &&
         step(before, past) == step(before, begin + 1) &&
         step(after, past) == step(after, begin + 1))
    ++past;
  const auto weights = [&](auto weight) {
    const std::int64_t factor = past == begin + 1 ? 0 : step(weight, begin + 1);
    return EvenRun::Weights{static_cast<std::int16_t>(weight(past - 1) - factor),
                            static_cast<std::int16_t>(factor)};
  };
  return {.pixels = past - begin, .before = weights(before), .after = weights(after)};
}

void set_runs(const Filter& filter, const Units& units, WholeWeights& whole) {
  for (std::int64_t k = 0; k <= std::ssize(filter.pixels); ++k) {
    whole.first_run.push_back(whole.runs.size());
    if (k == std::ssize(filter.pixels)) return;
    for (std::int64_t p = filter.first_of(k); p < filter.first_of(k + 1);) {
      whole.runs.push_back(first_run(units, k, p, filter.first_of(k + 1)));
      p += whole.runs.back().pixels;
    }
  }
}

}  // namespace

Narrowing narrowing_of(std::int64_t sum) {
  int shift = 0;
  while (255 * sum + (std::int64_t{1} << shift >> 1) >= std::int64_t{65536} << shift) ++shift;
  return {shift, static_cast<float>(std::ldexp(1 / static_cast<double>(sum), shift))};
}

Filter make_filter(std::int64_t from, std::int64_t to, const AxisPart& part, DType dtype) {
  const auto counts = [](double weight) { return weight > smallest_weight; };
  Filter filter;
  for (const Taps& taps : triangle_filter(from, to, part)) {
    const auto first = std::ranges::find_if(taps.weights, counts);
    const auto past_last = std::find_if(taps.weights.rbegin(), taps.weights.rend(), counts).base();
    const std::int64_t begin = std::ssize(filter.weights);
    filter.weights.insert(filter.weights.end(), first, past_last);
    filter.pixels.push_back(
        {taps.first + (first - taps.weights.begin()), begin, std::ssize(filter.weights)});
    filter.most_taps = std::max(filter.most_taps, std::ssize(filter.weights) - begin);
  }
  if (has_shares(filter)) filter.shares = shares_of(filter, from);
  if (dtype != DType::UInt8) return filter;
  const std::optional<Units> units = units_of(to, part);
  if (!units) return filter;
  filter.whole = whole_weights(filter, *units);
  if (!filter.whole.empty() && !filter.shares.empty()) set_runs(filter, *units, filter.whole);
  return filter;
}

}  // namespace normbench
