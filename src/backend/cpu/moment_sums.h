#pragma once

#include <cmath>

namespace normbench {

/// The mean of some elements, and the sum of their squared distances from the mean.
struct MomentSums {
  double count = 0, mean = 0, squares = 0;

  /// Adds the elements of `other` (Chan, Golub, LeVeque: Updating formulae, 1979).
  void add(const MomentSums& other) {
    const double all = count + other.count, delta = other.mean - mean;
    squares += other.squares + delta * delta * (count * other.count / all);
    mean += delta * (other.count / all);
    count = all;
  }
  /// Returns 1 / sqrt(biased variance + eps).
  double rstd(double eps) const { return 1 / std::sqrt(squares / count + eps); }
  /// Returns the rounding error of the mean in float32: the rounded mean minus the exact one. It is
  /// at most 5e-4 for a mean of 1e4.
  double left_of_mean() const { return static_cast<double>(static_cast<float>(mean)) - mean; }
};

}  // namespace normbench
