/// A running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002,
/// section 3.3). It computes a bound on the absolute error of each element through a chain of
/// operations. An operation is modelled as fl(x op y) = (x op y)(1 + d), |d| <= u, where u is the
/// unit roundoff (eq. 2.4, and eq. 2.8 below the normal range).
#include "ops/accuracy.h"

#include <bit>

namespace normbench {

// Computes eight maxima at the same time, so that no comparison must wait for the previous one.
double largest_magnitude(std::span<const double> values) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> most{};
  const std::size_t whole = values.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double magnitude = std::abs(values[i + lane]);
      most[lane] = magnitude > most[lane] ? magnitude : most[lane];
    }
  for (const double value : values.subspan(whole)) most[0] = std::max(most[0], std::abs(value));
  return std::ranges::max(most);
}

Rounding rounding_of(DType dtype) {
  const DTypeRow& row = row_of(dtype);
  return {.relative = unit_roundoff(dtype),
          .least = std::ldexp(1, row.lowest_exponent - row.significant_bits)};
}

double unit_roundoff(DType dtype) {
  return is_float(dtype) ? std::ldexp(1, -row_of(dtype).significant_bits) : 0;
}

Estimate product(const Estimate& a, const Estimate& b) {
  const double of_a = std::abs(a.value), of_b = std::abs(b.value);
  return {a.value * b.value,
          of_a * b.error + of_b * a.error + a.error * b.error +
              unit_roundoff(DType::Float32) * (of_a + a.error) * (of_b + b.error)};
}

Accuracy computed_values(const Tensor64& exact, std::vector<double> errors, DType dtype) {
  if (exact.values.empty()) return {};
  const Computed computed(dtype);
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = computed({exact.values[i], errors[i]}).error;
  const auto [low, high] = std::ranges::minmax(exact.values);
  return {.low = low, .high = high, .errors = std::move(errors)};
}

double summation_error(std::int64_t count) {
  const auto halvings = std::bit_width(static_cast<std::uint64_t>(count));
  return static_cast<double>(halvings + 4) * unit_roundoff(DType::Float32);
}

}  // namespace normbench
