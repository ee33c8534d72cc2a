/// Statistics of groups of channels, and how accurately float32 arithmetic computes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/checks.h"

namespace normbench {

/// Returns element `index` of the tensor, counted in NCHW order.
inline double value_at(const Tensor64& tensor, std::int64_t index) {
  return tensor.values[static_cast<std::size_t>(index)];
}

/// The mean and the biased variance of the values of a group, in double.
struct GroupSpread {
  double mean = 0, variance = 0;
};
GroupSpread spread_of(std::span<const double> group);

/// Returns the exact value of element `index` and its error bound.
inline Estimate estimate_of(const Known& tensor, std::int64_t index) {
  return {value_at(tensor.values, index), tensor.error(static_cast<std::size_t>(index))};
}

/// Returns the values of group `index`. A group has C / groups channels of one image. `index`
/// counts the groups of all images: (index of the image) * groups + (index of the group in the
/// image).
std::span<const double> group_of(const Tensor64& x, std::int64_t groups, std::int64_t index);

/// Bounds on how far the computed mean and 1 / sqrt(variance + eps) of group `index` may lie from
/// the exact values. The bounds hold for three ways to compute the variance: two passes, sums
/// shifted by the first value, and Welford's recurrence (Chan, Golub, LeVeque: Algorithms for
/// computing the sample variance, 1983). For E[x^2] - E[x]^2 the bounds hold only if the mean is
/// near 0.
struct MomentErrors {
  double mean = 0, rstd = 0;
};
MomentErrors moment_errors(const Known& x, std::int64_t groups, std::int64_t index, double eps);

/// Throws Invalid if the channels of `x` cannot be divided into `groups` equal groups.
void check_groups(std::int64_t groups, const Shape& x);
/// Reads "eps", a number above 0 that fits float32. If it is missing, returns 1e-5. For a wrong
/// value, reports it and returns 1e-5.
double read_eps(Reader& reader);
/// Returns numbers of groups for a self-test: 1, the number of channels, and between them a divisor
/// of the number of channels if there is one.
std::vector<std::int64_t> group_samples(const Shape& shape);

/// Computes the mean and 1 / sqrt(biased variance + eps) of each group of each image. Both outputs
/// are [N, groups, 1, 1].
void group_moments(const Tensor64& x, std::int64_t groups, double eps, Tensor64& mean,
                   Tensor64& rstd);
/// Returns the accuracy of mean and rstd computed in float32. `mean_rstd` has their exact values.
std::vector<Accuracy> moments_accuracy(const Known& x, double eps,
                                       std::span<const Tensor64> mean_rstd);

/// Returns (x - mean) * rstd for each element, with the mean and rstd of its group.
Tensor64 group_scaled(const Tensor64& x, const Tensor64& mean, const Tensor64& rstd);
/// Returns (x - mean) * rstd of one element, with a bound on the error of a float32 result. The
/// bound holds if the result is computed as (x - mean) * rstd or as x * rstd - mean * rstd.
/// `rounding` is the relative error of these operations. If the caller adds up many results,
/// `rounding` includes the relative error of that sum.
Estimate group_scaled(const Estimate& x, const Estimate& mean, const Estimate& rstd,
                      double rounding);

/// Returns the gradient with respect to x. `g` is the gradient with respect to h =
/// (x - mean) * rstd. The result is rstd * (g - sum(g) / n - h * sum(g * h) / n), with sums over
/// the n elements of a group (Ioffe, Szegedy: Batch Normalization, 2015, section 3).
Tensor64 group_gradient(const Tensor64& g, const Tensor64& x, const Tensor64& mean,
                        const Tensor64& rstd);
/// Returns a bound for each element of group_gradient(): how far a result of float32 arithmetic may
/// lie from the exact element.
std::vector<double> gradient_errors(const Known& g, const Known& x, const Known& mean,
                                    const Known& rstd);

}  // namespace normbench
