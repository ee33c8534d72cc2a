#include "ops/group_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace normbench {
namespace {

/// The means of g and of g * h over a group. h = (x - mean) * rstd, and g is the gradient with
/// respect to h. The error bounds of the means hold for float32 sums.
struct GradientMeans {
  Estimate g, gh;
};

GradientMeans means_over(std::span<const Estimate> g, std::span<const Estimate> h, double sum) {
  GradientMeans means;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double of_g = std::abs(g[i].value), of_h = std::abs(h[i].value);
    means.g.value += g[i].value;
    means.g.error += sum * of_g + g[i].error;
    means.gh.value += g[i].value * h[i].value;
    means.gh.error += sum * of_g * of_h + (of_g + g[i].error) * h[i].error + of_h * g[i].error;
  }
  const auto count = static_cast<double>(g.size());
  for (Estimate* mean : {&means.g, &means.gh}) {
    mean->value /= count;
    mean->error /= count;
  }
  return means;
}

/// Returns a bound on the error of rstd * (g - mean of g - h * (mean of g * h)), computed in
/// float32.
double gradient_error(const Estimate& g, const Estimate& h, const GradientMeans& means,
                      const Estimate& rstd) {
  const double u = unit_roundoff(DType::Float32);
  const double of_h = std::abs(h.value), of_gh = std::abs(means.gh.value);
  const double parts = std::abs(g.value) + std::abs(means.g.value) + of_h * of_gh;
  const double inner = g.error + means.g.error + of_h * means.gh.error +
                       h.error * (of_gh + means.gh.error) + 4 * u * parts;
  return (std::abs(rstd.value) + rstd.error) * inner + rstd.error * parts;
}

}  // namespace

GroupSpread spread_of(std::span<const double> group) {
  const auto count = static_cast<double>(group.size());
  double sum = 0, squares = 0;
  for (const double value : group) sum += value - group[0];
  const double mean = group[0] + sum / count;
  for (const double value : group) squares += (value - mean) * (value - mean);
  return {.mean = mean, .variance = squares / count};
}

std::span<const double> group_of(const Tensor64& x, std::int64_t groups, std::int64_t index) {
  const auto [n, c, h, w] = x.shape.extents();
  const auto count = static_cast<std::size_t>(c / groups * h * w);
  return std::span(x.values).subspan(static_cast<std::size_t>(index) * count, count);
}

MomentErrors moment_errors(const Known& x, std::int64_t groups, std::int64_t index, double eps) {
  const std::span<const double> values = group_of(x.values, groups, index);
  const auto first = static_cast<std::size_t>(index) * values.size();
  const auto count = static_cast<double>(values.size());
  const GroupSpread group = spread_of(values);
  const double sum = summation_error(static_cast<std::int64_t>(values.size()));
  const double u = unit_roundoff(DType::Float32);
  // If each value x is off by e, the mean is off by at most the mean of |e|. The variance is off by
  // at most the mean of 2 |x - mean| |e| + e^2.
  double given_mean = 0, given_variance = 0;
  if (!(x.accuracy.errors == Errors(0)))
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double e = x.error(first + i);
      given_mean += e / count;
      given_variance += (2 * std::abs(values[i] - group.mean) + e) * e / count;
    }
  // The error of a sum is at most the sum of |terms| times the relative error `sum` (Higham, eq.
  // 4.4). To compute the mean, kernels add the values x, or x minus the first value of the group.
  // The factor 3 is for kernels without vector instructions, which add blocks of thousands of terms
  // in a plain loop.
  const double deviation = std::sqrt(group.variance), shift = std::abs(values[0] - group.mean);
  const double mean = sum * (std::abs(group.mean) + 3 * (deviation + shift)) + given_mean;
  // The bound on the error of the variance covers three algorithms:
  // - Two passes: `sum` * variance for the sum of squares, and d^2 for a mean that is off by d.
  // - Welford's recurrence: its error grows faster than that of a pairwise sum, hence the factor 4.
  //   Its running means are rounded, by u |mean|, which adds about 2 u |mean| std.
  // - Sums shifted by the first value: E[s^2] - E[s]^2, where s has the mean `shift`. The error is
  //   `sum` * (variance + shift^2) + 2 * shift * `sum` * (deviation + shift).
  const double shifted = group.variance + 2 * shift * deviation + 3 * shift * shift;
  const double variance = sum * std::max(4 * group.variance, shifted) +
                          2 * sum * std::abs(group.mean) * deviation + mean * mean + given_variance;
  const double exact = group.variance + eps, rstd = 1 / std::sqrt(exact);
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
  std::vector<double> of_mean, of_rstd;
  for (std::int64_t i = 0; i < x.values.shape.n * groups; ++i) {
    const auto [mean, rstd] = moment_errors(x, groups, i, eps);
    of_mean.push_back(mean);
    of_rstd.push_back(rstd);
  }
  return {computed_values(mean_rstd[0], std::move(of_mean), DType::Float32),
          computed_values(mean_rstd[1], std::move(of_rstd), DType::Float32)};
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

Estimate group_scaled(const Estimate& x, const Estimate& mean, const Estimate& rstd,
                      double rounding) {
  const double distance = x.value - mean.value, factor = std::abs(rstd.value);
  const double of_distance =
      x.error + mean.error + rounding * (std::abs(x.value) + std::abs(mean.value));
  return {distance * rstd.value,
          (factor + rstd.error) * of_distance + std::abs(distance) * rstd.error};
}

Tensor64 group_gradient(const Tensor64& g, const Tensor64& x, const Tensor64& mean,
                        const Tensor64& rstd) {
  const std::int64_t groups = mean.shape.c;
  const Tensor64 h = group_scaled(x, mean, rstd);
  Tensor64 dx{.shape = x.shape, .values = {}};
  dx.values.reserve(x.values.size());
  for (std::int64_t i = 0; i < x.shape.n * groups; ++i) {
    const auto gs = group_of(g, groups, i), hs = group_of(h, groups, i);
    double of_g = 0, of_gh = 0;
    for (std::size_t j = 0; j < gs.size(); ++j) {
      of_g += gs[j];
      of_gh += gs[j] * hs[j];
    }
    const auto count = static_cast<double>(gs.size());
    for (std::size_t j = 0; j < gs.size(); ++j)
      dx.values.push_back(value_at(rstd, i) * (gs[j] - of_g / count - hs[j] * (of_gh / count)));
  }
  return dx;
}

std::vector<double> gradient_errors(const Known& g, const Known& x, const Known& mean,
                                    const Known& rstd) {
  const std::int64_t groups = mean.values.shape.c, of_all = x.values.shape.n * groups;
  const std::int64_t count = x.values.shape.elements() / of_all;
  const double sum = summation_error(count);
  std::vector<double> errors;
  errors.reserve(x.values.values.size());
  std::vector<Estimate> gs(static_cast<std::size_t>(count)), hs(gs.size());
  for (std::int64_t i = 0; i < of_all; ++i) {
    const Estimate of_mean = estimate_of(mean, i), of_rstd = estimate_of(rstd, i);
    for (std::size_t j = 0; j < gs.size(); ++j) {
      const std::int64_t at = i * count + static_cast<std::int64_t>(j);
      gs[j] = estimate_of(g, at);
      hs[j] = group_scaled(estimate_of(x, at), of_mean, of_rstd, sum);
    }
    const GradientMeans means = means_over(gs, hs, sum);
    for (std::size_t j = 0; j < gs.size(); ++j)
      errors.push_back(gradient_error(gs[j], hs[j], means, of_rstd));
  }
  return errors;
}

}  // namespace normbench
