#include "measure/output_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "document/results.h"

namespace normbench {

namespace {

/// Rounds a positive value down to 12 significant bits.
float rounded_down(double value) {
  int exponent = 0;
  const double digits = std::frexp(value, &exponent);
  return static_cast<float>(std::ldexp(std::floor(std::ldexp(digits, 12)), exponent - 12));
}

}  // namespace

void OutputCheck::compare(const Exact& exact, const Tensor64& got, const ImageRange& images,
                          std::int64_t height) {
  constexpr std::size_t block = 256;
  const std::vector<double>& expected = exact.values.values;
  const Errors& bounds = exact.accuracy.errors;
  largest_ = std::max(largest_, largest_magnitude(expected));
  values_ += static_cast<std::int64_t>(expected.size());
  const Shape& shape = exact.values.shape;
  const auto place = [&](std::size_t i) {
    const auto index = static_cast<std::int64_t>(i), per_image = shape.image_elements();
    const std::int64_t image = images.first + index / per_image;
    if (images.rows == 0) return Place{.image = image, .index = index % per_image};
    const ElementPlace at = place_of(shape, index);
    return Place{.image = image, .index = (at.c * height + images.row + at.h) * shape.w + at.w};
  };
  for (std::size_t first = 0; first < expected.size(); first += block) {
    const std::size_t count = std::min(block, expected.size() - first);
    std::array<double, block> bound;
    for (std::size_t i = 0; i < count; ++i) bound[i] = bounds.at(first + i);
    const std::span<const double> exact_ones(&expected[first], count),
        values(&got.values[first], count);
    if (!may_matter(exact_ones, values, bound)) continue;
    for (std::size_t i = 0; i < count; ++i)
      compare_one(exact_ones[i], values[i], bound[i], place(first + i));
  }
}

bool OutputCheck::may_matter(std::span<const double> expected, std::span<const double> got,
                             std::span<const double> bounds) const {
  if (!any_) return true;
  // The inner loop has no branches, so that compilers vectorise it. If an error or a bound is NaN,
  // the first comparison in the loop is false and adds 1. So the function returns true.
  constexpr std::size_t lanes = 4;
  const double share = worst_.share();
  const auto [most, its_bound] = largest_error_;
  // As in CheckResult::outweighs(): if two errors are equal, the error with the smaller bound
  // counts as larger. If both are 0, the error with the larger bound counts as larger.
  const double towards = most > 0 ? -1 : 1;
  std::array<double, lanes> reasons{};
  const std::size_t whole = expected.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double bound = bounds[i + lane], error = std::abs(got[i + lane] - expected[i + lane]);
      reasons[lane] += error <= share * bound ? 0.0 : 1.0;
      reasons[lane] += error > most ? 1.0 : 0.0;
      const double as_large = error == most ? 1.0 : 0.0, some = bound > 0 ? 1.0 : 0.0;
      reasons[lane] += towards * bound > towards * its_bound ? as_large : 0.0;
      reasons[lane] += bound >= largest_ ? some : 0.0;
    }
  return whole < expected.size() ||
         std::ranges::any_of(reasons, [](double one) { return one > 0; });
}

void OutputCheck::compare_one(double expected, double got, double bound, const Place& place) {
  if (!std::isfinite(bound)) {
    ++unbounded_;
    return;
  }
  if (bound >= largest_ && bound > 0) ++wide_[rounded_down(bound)];
  const double difference = std::abs(got - expected);
  const double error =
      std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  keep_larger({.error = error, .bound = bound});
  keep_worse({.error = error,
              .bound = bound,
              .image = place.image,
              .index = place.index,
              .expected = expected,
              .got = got});
}

void OutputCheck::keep_larger(const LargestError& one) {
  if (CheckResult::outweighs(one.error, one.bound, largest_error_.error, largest_error_.bound))
    largest_error_ = one;
}

void OutputCheck::keep_worse(const Worst& one) {
  const double share = one.share(), before = worst_.share();
  if (any_ && (share < before || (share == before && one.error <= worst_.error))) return;
  worst_ = one;
  any_ = true;
}

void OutputCheck::add(const OutputCheck& other) {
  values_ += other.values_;
  unbounded_ += other.unbounded_;
  largest_ = std::max(largest_, other.largest_);
  for (const auto& [bound, values] : other.wide_) wide_[bound] += values;
  if (!other.any_) return;
  keep_larger(other.largest_error_);
  keep_worse(other.worst_);
}

std::int64_t OutputCheck::unchecked() const {
  std::int64_t values = unbounded_;
  if (largest_ == 0) return values;
  for (auto one = wide_.lower_bound(rounded_down(largest_)); one != wide_.end(); ++one)
    values += one->second;
  return values;
}

}  // namespace normbench
