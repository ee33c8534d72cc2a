/// Statistics of groups of channels, and how well float32 arithmetic knows them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/checks.h"

namespace normbench {

/// The element `index` in NCHW order.
inline double value_at(const Tensor64& tensor, std::int64_t index) {
  return tensor.values[static_cast<std::size_t>(index)];
}

/// The mean and the biased variance of some values.
struct GroupSpread {
  double mean = 0, variance = 0;
};
GroupSpread spread_of(std::span<const double> group);

/// The exact value of an element, and its error.
inline Estimate estimate_of(const Known& tensor, std::int64_t index) {
  return {value_at(tensor.values, index), tensor.error(static_cast<std::size_t>(index))};
}

/// The values of group `index`, each of C / groups channels. Groups are counted over all images.
std::span<const double> group_of(const Tensor64& x, std::int64_t groups, std::int64_t index);

/// How far the mean and 1 / sqrt(variance + eps) of group `index` may lie from the exact ones. The
/// bound holds for two passes, sums shifted by the first value, and Welford's recurrence (Chan,
/// Golub, LeVeque: Algorithms for computing the sample variance, 1983). E[x^2] - E[x]^2 keeps to it
/// only where the mean is near 0.
struct MomentErrors {
  double mean = 0, rstd = 0;
};
MomentErrors moment_errors(const Known& x, std::int64_t groups, std::int64_t index, double eps);

/// Throws Invalid unless the channels make up so many equal groups.
void check_groups(std::int64_t groups, const Shape& x);
/// Reads "eps", which is to be above 0.
double read_eps(Reader& reader);
/// Numbers of groups worth trying: one, as many as channels, and one in between where there is one.
std::vector<std::int64_t> group_samples(const Shape& shape);

/// Mean and 1 / sqrt(biased variance + eps) of each group of each image, [N, groups, 1, 1].
void group_moments(const Tensor64& x, std::int64_t groups, double eps, Tensor64& mean,
                   Tensor64& rstd);
/// The accuracy of mean and rstd when float32 arithmetic has found them.
std::vector<Accuracy> moments_accuracy(const Known& x, double eps,
                                       std::span<const Tensor64> mean_rstd);

/// (x - mean) * rstd.
Tensor64 group_scaled(const Tensor64& x, const Tensor64& mean, const Tensor64& rstd);
/// (x - mean) * rstd of one element, and how far float32 arithmetic may lie from it, as (x - mean)
/// * rstd or as x * rstd - mean * rstd. `rounding` is the relative error of all operations on it,
/// or of the sums that it goes into.
Estimate group_scaled(const Estimate& x, const Estimate& mean, const Estimate& rstd,
                      double rounding);

/// The gradient with respect to x, where h = (x - mean) * rstd and g is the gradient with respect
/// to h: rstd * (g - sum(g) / n - h * sum(g * h) / n), sums over a group's n elements (Ioffe,
/// Szegedy: Batch Normalization, 2015, section 3).
Tensor64 group_gradient(const Tensor64& g, const Tensor64& x, const Tensor64& mean,
                        const Tensor64& rstd);
/// How far float32 arithmetic may lie from each element of group_gradient().
std::vector<double> gradient_errors(const Known& g, const Known& x, const Known& mean,
                                    const Known& rstd);

}  // namespace normbench
