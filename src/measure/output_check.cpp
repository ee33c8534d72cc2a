#include "measure/output_check.h"

#include <algorithm>
#include <cmath>

namespace normbench {

void OutputCheck::compare(const Exact& exact, const Tensor64& got, std::int64_t first) {
  const std::vector<double>& expected = exact.values.values;
  const std::int64_t per_image = exact.values.shape.elements() / exact.values.shape.n;
  for (const double value : expected) largest_ = std::max(largest_, std::abs(value));
  values_ += static_cast<std::int64_t>(expected.size());
  double share = worst_.share();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double bound = exact.accuracy.errors.at(i);
    if (!std::isfinite(bound)) {
      ++unbounded_;
      continue;
    }
    if (bound >= largest_ && bound > 0) wide_.push_back(bound);
    const double error = std::abs(got.values[i] - expected[i]);
    if (error > largest_error_.error ||
        (error == largest_error_.error && bound > largest_error_.bound))
      largest_error_ = {.error = error, .bound = bound};
    if (any_ && error <= share * bound) continue;  // never of NaN, and of 0 times infinity
    const auto index = static_cast<std::int64_t>(i);
    compare_one(expected[i], got.values[i], bound, first + index / per_image, index % per_image);
    share = worst_.share();
  }
}

void OutputCheck::compare_one(double expected, double got, double bound, std::int64_t image,
                              std::int64_t index) {
  const double difference = std::abs(got - expected);
  const Worst one{
      .error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference,
      .bound = bound,
      .image = image,
      .index = index,
      .expected = expected,
      .got = got};
  if (std::isnan(difference)) largest_error_ = {.error = one.error, .bound = bound};
  const double share = one.share(), before = worst_.share();
  if (any_ && (share < before || (share == before && one.error <= worst_.error))) return;
  worst_ = one;
  any_ = true;
}

std::int64_t OutputCheck::unchecked() const {
  if (largest_ == 0) return unbounded_;
  return unbounded_ + std::ranges::count_if(wide_, [&](double bound) { return bound >= largest_; });
}

}  // namespace normbench
