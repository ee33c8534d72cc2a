/// The standard model of floating-point arithmetic, fl(x op y) = (x op y)(1 + d), |d| <= u (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, eq. 2.4, and eq. 2.8 for results
/// below the normal range), carried through a chain as absolute errors (section 3).
#include "ops/accuracy.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace normbench {
namespace {

/// Largest absolute error of rounding to `dtype` where its numbers are evenly spaced around 0.
double smallest_rounding(DType dtype) {
  const DTypeRow& row = row_of(dtype);
  return is_float(dtype) ? std::ldexp(1, row.lowest_exponent - row.significant_bits) : 0.5;
}

double in_float32(double constant) { return static_cast<float>(constant); }

/// `a` multiplied by a factor of which kernels hold `held`:
/// |x' held - x factor| <= |x' - x| |factor| + |x'| |held - factor|.
Accuracy scaled(const Accuracy& a, double factor, double held) {
  const double one = a.low * factor, other = a.high * factor;
  return {.low = std::min(one, other),
          .high = std::max(one, other),
          .error = a.error * std::abs(factor) + a.magnitude() * std::abs(held - factor)};
}

}  // namespace

double Accuracy::magnitude() const { return std::max(std::abs(low), std::abs(high)) + error; }

double unit_roundoff(DType dtype) {
  return is_float(dtype) ? std::ldexp(1, -row_of(dtype).significant_bits) : 0;
}

Accuracy stored(Accuracy a, DType dtype) {
  const double u = unit_roundoff(dtype);
  if (!is_float(dtype)) {
    a.low = std::clamp(a.low, 0.0, 255.0);
    a.high = std::clamp(a.high, 0.0, 255.0);
  }
  // A dtype with p significant bits, u = 2^-p, holds every whole number up to 2^p.
  if (a.whole && u * a.magnitude() <= 1) return a;
  a.error += std::max(u * a.magnitude(), smallest_rounding(dtype));
  a.whole = false;
  return a;
}

Accuracy computed(Accuracy a, DType dtype) {
  a = stored(a, DType::Float32);
  return dtype == DType::Float32 ? a : stored(a, dtype);
}

Accuracy minus(const Accuracy& a, double constant) {
  return {.low = a.low - constant,
          .high = a.high - constant,
          .error = a.error + std::abs(in_float32(constant) - constant)};
}

Accuracy times(const Accuracy& a, double constant) {
  return scaled(a, constant, in_float32(constant));
}

Accuracy over(const Accuracy& a, double constant) {
  return scaled(a, 1 / constant, 1 / in_float32(constant));
}

Accuracy hull(const Accuracy& a, const Accuracy& b) {
  return {.low = std::min(a.low, b.low),
          .high = std::max(a.high, b.high),
          .error = std::max(a.error, b.error),
          .whole = a.whole && b.whole};
}

double Known::largest() const {
  double most = 0;
  for (const double value : values.values) most = std::max(most, std::abs(value));
  return most;
}

double product_error(const Known& a, const Known& b) {
  const double of_a = a.accuracy.error, of_b = b.accuracy.error;
  const double largest_a = a.largest(), largest_b = b.largest();
  return largest_a * of_b + largest_b * of_a + of_a * of_b +
         unit_roundoff(DType::Float32) * (largest_a + of_a) * (largest_b + of_b);
}

Accuracy computed_values(const Tensor64& exact, double error, DType dtype) {
  if (exact.values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(exact.values);
  return computed({.low = low, .high = high, .error = error}, dtype);
}

double summation_error(std::int64_t count) {
  const auto halvings = std::bit_width(static_cast<std::uint64_t>(count));
  return static_cast<double>(halvings + 4) * unit_roundoff(DType::Float32);
}

}  // namespace normbench
