#pragma once

#include <cmath>

namespace normbench {

/// The mean of some elements, and the sum of the squares of their distances from it.
struct MomentSums {
  double count = 0, mean = 0, squares = 0;

  /// Adds the elements of `other` (Chan, Golub, LeVeque: Updating formulae, 1979).
  void add(const MomentSums& other) {
    const double all = count + other.count, delta = other.mean - mean;
    squares += other.squares + delta * delta * (count * other.count / all);
    mean += delta * (other.count / all);
    count = all;
  }
  /// 1 / sqrt(biased variance + eps).
  double rstd(double eps) const { return 1 / std::sqrt(squares / count + eps); }
  /// What the mean's rounding to float32 leaves out, negated: at a mean of 1e4 up to 5e-4.
  double left_of_mean() const { return static_cast<double>(static_cast<float>(mean)) - mean; }
};

}  // namespace normbench
