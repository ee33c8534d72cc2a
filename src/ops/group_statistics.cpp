#include "ops/group_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace normbench {
namespace {

/// Sums over a group that its gradient is made of, divided by its number of elements.
struct GradientMeans {
  double g = 0, gh = 0, magnitude = 0;  // of g, g * h and |g|
};

GradientMeans gradient_means(std::span<const double> g, std::span<const double> h) {
  GradientMeans means;
  for (std::size_t i = 0; i < g.size(); ++i) {
    means.g += g[i];
    means.gh += g[i] * h[i];
    means.magnitude += std::abs(g[i]);
  }
  const auto count = static_cast<double>(g.size());
  return {.g = means.g / count, .gh = means.gh / count, .magnitude = means.magnitude / count};
}

}  // namespace

double GroupSpread::reach(double centre) const {
  return std::max(highest - centre, centre - lowest);
}

GroupSpread spread_of(std::span<const double> group) {
  const auto [lowest, highest] = std::ranges::minmax(group);
  const auto count = static_cast<double>(group.size());
  double sum = 0, squares = 0;
  for (const double value : group) sum += value - lowest;
  const double mean = lowest + sum / count;
  for (const double value : group) squares += (value - mean) * (value - mean);
  return {.lowest = lowest, .highest = highest, .mean = mean, .variance = squares / count};
}

std::span<const double> group_of(const Tensor64& x, std::int64_t groups, std::int64_t index) {
  const auto [n, c, h, w] = x.shape;
  const auto count = static_cast<std::size_t>(c / groups * h * w);
  return std::span(x.values).subspan(static_cast<std::size_t>(index) * count, count);
}

MomentErrors moment_errors(const GroupSpread& group, std::int64_t count, double eps, double error) {
  const double sum = summation_error(count), u = unit_roundoff(DType::Float32);
  const double reach = group.reach(group.mean), exact = group.variance + eps;
  const double mean = sum * (std::abs(group.mean) + 2 * reach) + error;
  // A mean that is off by d adds d^2, in methods of one pass about 2 d std; sums of values shifted
  // by one of them have terms of up to (2 reach)^2.
  const double variance = sum * (group.variance + 4 * reach * reach) +
                          2 * mean * std::sqrt(group.variance) + mean * mean + 2 * error * reach;
  const double rstd = 1 / std::sqrt(exact);
  const double largest = 1 / std::sqrt(std::max(exact - variance, eps));
  const double smallest = 1 / std::sqrt(exact + variance);
  return {.mean = mean, .rstd = std::max(largest - rstd, rstd - smallest) + 4 * u * rstd};
}

void check_groups(std::int64_t groups, const Shape& x) {
  if (x.c % groups == 0) return;
  throw Invalid(fmt::format("{} channels cannot be in {} equal groups", x.c, groups));
}

double read_eps(Reader& reader) {
  constexpr double usual = 1e-5;
  const double eps = reader.number("eps", usual);
  if (eps >= std::numeric_limits<float>::min() && eps <= std::numeric_limits<float>::max())
    return eps;
  reader.complain_at("eps",
                     fmt::format("expected a number above 0 that fits float32, got {}", eps));
  return usual;
}

std::vector<std::int64_t> group_samples(const Shape& shape) {
  std::vector<std::int64_t> groups{1};
  for (std::int64_t between = shape.c / 2; between > 1; --between)
    if (shape.c % between == 0) {
      groups.push_back(between);
      break;
    }
  if (shape.c > 1) groups.push_back(shape.c);
  return groups;
}

void group_moments(const Tensor64& x, std::int64_t groups, double eps, Tensor64& mean,
                   Tensor64& rstd) {
  mean.shape = rstd.shape = of_groups(x.shape, groups);
  mean.values.clear();
  rstd.values.clear();
  for (std::int64_t i = 0; i < x.shape.n * groups; ++i) {
    const GroupSpread group = spread_of(group_of(x, groups, i));
    mean.values.push_back(group.mean);
    rstd.values.push_back(1 / std::sqrt(group.variance + eps));
  }
}

std::vector<Accuracy> moments_accuracy(const Known& x, double eps,
                                       std::span<const Tensor64> mean_rstd) {
  const std::int64_t groups = mean_rstd[0].shape.c;
  MomentErrors most;
  for (std::int64_t i = 0; i < x.values.shape.n * groups; ++i) {
    const auto values = group_of(x.values, groups, i);
    const auto errors = moment_errors(spread_of(values), static_cast<std::int64_t>(values.size()),
                                      eps, x.accuracy.error);
    most.mean = std::max(most.mean, errors.mean);
    most.rstd = std::max(most.rstd, errors.rstd);
  }
  return {computed_values(mean_rstd[0], most.mean, DType::Float32),
          computed_values(mean_rstd[1], most.rstd, DType::Float32)};
}

Tensor64 group_scaled(const Tensor64& x, const Tensor64& mean, const Tensor64& rstd) {
  Tensor64 h = x;
  const std::int64_t groups = mean.shape.c;
  const std::int64_t count = x.shape.elements() / (x.shape.n * groups);
  for (std::size_t i = 0; i < h.values.size(); ++i) {
    const std::int64_t group = static_cast<std::int64_t>(i) / count;
    h.values[i] = (h.values[i] - value_at(mean, group)) * value_at(rstd, group);
  }
  return h;
}

ScaledError scaled_error(const Known& x, const Known& mean, const Known& rstd, std::int64_t index,
                         double rounding) {
  const auto [lowest, highest] =
      std::ranges::minmax(group_of(x.values, mean.values.shape.c, index));
  const GroupSpread group{.lowest = lowest, .highest = highest};
  const double centre = value_at(mean.values, index),
               factor = std::abs(value_at(rstd.values, index));
  const double reach = group.reach(centre), largest = reach * factor;
  const double inputs =
      x.accuracy.error + mean.accuracy.error + rounding * (group.magnitude() + std::abs(centre));
  return {.error = (factor + rstd.accuracy.error) * inputs + reach * rstd.accuracy.error +
                   rounding * largest,
          .largest = largest};
}

Tensor64 group_gradient(const Tensor64& g, const Tensor64& x, const Tensor64& mean,
                        const Tensor64& rstd) {
  const std::int64_t groups = mean.shape.c;
  const Tensor64 h = group_scaled(x, mean, rstd);
  Tensor64 dx{.shape = x.shape, .values = {}};
  dx.values.reserve(x.values.size());
  for (std::int64_t i = 0; i < x.shape.n * groups; ++i) {
    const auto gs = group_of(g, groups, i), hs = group_of(h, groups, i);
    const GradientMeans means = gradient_means(gs, hs);
    for (std::size_t j = 0; j < gs.size(); ++j)
      dx.values.push_back(value_at(rstd, i) * (gs[j] - means.g - hs[j] * means.gh));
  }
  return dx;
}

double gradient_error(const Known& g, const Known& x, const Known& mean, const Known& rstd) {
  const std::int64_t groups = mean.values.shape.c;
  const double u = unit_roundoff(DType::Float32);
  const Tensor64 scaled = group_scaled(x.values, mean.values, rstd.values);
  double most = 0;
  for (std::int64_t i = 0; i < x.values.shape.n * groups; ++i) {
    const auto gs = group_of(g.values, groups, i), hs = group_of(scaled, groups, i);
    const GradientMeans means = gradient_means(gs, hs);
    const double sum = summation_error(static_cast<std::int64_t>(gs.size()));
    const ScaledError h = scaled_error(x, mean, rstd, i, sum);
    const double of_g = sum * means.magnitude + g.accuracy.error;
    const double of_gh = sum * means.magnitude * h.largest +
                         (means.magnitude + g.accuracy.error) * h.error +
                         g.accuracy.error * h.largest;
    const auto [lowest, highest] = std::ranges::minmax(gs);
    const double parts = GroupSpread{.lowest = lowest, .highest = highest}.magnitude() +
                         std::abs(means.g) + h.largest * std::abs(means.gh);
    const double inner = g.accuracy.error + of_g + h.largest * of_gh +
                         h.error * (std::abs(means.gh) + of_gh) + 4 * u * parts;
    most = std::max(most, (std::abs(value_at(rstd.values, i)) + rstd.accuracy.error) * inner +
                              rstd.accuracy.error * parts);
  }
  return most;
}

}  // namespace normbench
