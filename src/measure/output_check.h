/// Compares an output with its exact values, element by element.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>

#include "measure/references.h"

namespace normbench {

/// The element whose error is the largest share of its bound.
struct Worst {
  double error = 0, bound = 0;        // `error` is infinite for NaN
  std::int64_t image = 0, index = 0;  // `index` is within the image
  double expected = 0, got = 0;

  /// The error as a share of the bound; above 1 the element is wrong. Infinite if the bound is 0
  /// and the error is not.
  double share() const {
    if (error == 0) return 0;
    return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
  }
  bool is_wrong() const { return error > bound; }
};

/// The largest error of an output, and the bound of the value that has it.
struct LargestError {
  double error = 0, bound = 0;
};

/// Compares an output slab by slab. A value cannot be checked if its bound is infinite, or at least
/// as large as the largest exact magnitude of the output, because an output of zeros would then
/// pass. If all exact values are 0, values with any finite bound can be checked.
class OutputCheck {
 public:
  /// Compares `got` with the exact values. `images`: the images of the output, or the rows of them,
  /// that `exact` and `got` hold. `height`: the number of rows of a whole image; 0: as many as in
  /// `got`.
  void compare(const Exact& exact, const Tensor64& got, const ImageRange& images = {},
               std::int64_t height = 0);

  /// Adds the findings of another check on other parts of the same output.
  void add(const OutputCheck& other);

  const Worst& worst() const { return worst_; }
  const LargestError& largest_error() const { return largest_error_; }
  std::int64_t values() const { return values_; }
  /// The number of values that could not be checked.
  std::int64_t unchecked() const;
  /// True if at least half of the values could be checked.
  bool is_checked() const { return 2 * unchecked() <= values_; }

 private:
  struct Place {
    std::int64_t image, index;  // `index` is within the image
  };
  /// Returns false if none of these values can change the findings so far.
  bool may_matter(std::span<const double> expected, std::span<const double> got,
                  std::span<const double> bounds) const;
  void compare_one(double expected, double got, double bound, const Place& place);
  void keep_worse(const Worst& one);
  void keep_larger(const LargestError& one);

  Worst worst_;
  LargestError largest_error_;
  bool any_ = false;
  std::int64_t values_ = 0, unbounded_ = 0;
  double largest_ = 0;  // the largest magnitude of an exact value so far
  // The number of values for each bound that is at least `largest_`. Bounds are rounded down to 12
  // bits, so that there are few different ones.
  std::map<float, std::int64_t> wide_;
};

}  // namespace normbench
