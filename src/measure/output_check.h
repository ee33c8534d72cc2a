/// Compares an output with its exact values, element by element.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>

#include "measure/references.h"

namespace normbench {

/// The element with the largest ratio of its error to its bound.
struct Worst {
  double error = 0, bound = 0;        // the error is infinite if the difference is NaN
  std::int64_t image = 0, index = 0;  // element `index` of image `image`
  double expected = 0, got = 0;

  /// Returns the error divided by the bound. The element is wrong if this is above 1. Returns
  /// infinity if the bound is 0 and the error is not.
  double share() const {
    if (error == 0) return 0;
    return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
  }
  bool is_wrong() const { return error > bound; }
};

/// The largest error of an output, and the bound of the element with that error.
struct LargestError {
  double error = 0, bound = 0;
};

/// Compares an output with its exact values, in one or several parts. A value cannot be checked if
/// its bound is infinite, or at least as large as the largest exact magnitude of the output,
/// because an output of zeros would then pass. If all exact values are 0, values with any finite
/// bound can be checked.
class OutputCheck {
 public:
  /// Compares a part of the output. `exact` and `got` hold the images, or the rows of images, that
  /// `images` describes. `height`: the number of rows of a whole image; 0: as many as in `got`.
  void compare(const Exact& exact, const Tensor64& got, const ImageRange& images = {},
               std::int64_t height = 0);

  /// Adds the results of another check, which compared other parts of the same output.
  void add(const OutputCheck& other);

  const Worst& worst() const { return worst_; }
  const LargestError& largest_error() const { return largest_error_; }
  std::int64_t values() const { return values_; }
  /// Returns the number of values that could not be checked.
  std::int64_t unchecked() const;
  /// Returns true if at least half of the values could be checked.
  bool is_checked() const { return 2 * unchecked() <= values_; }

 private:
  struct Place {
    std::int64_t image, index;  // element `index` of image `image`
  };
  /// Returns false if comparing these values cannot change the results so far.
  bool may_matter(std::span<const double> expected, std::span<const double> got,
                  std::span<const double> bounds) const;
  void compare_one(double expected, double got, double bound, const Place& place);
  void keep_worse(const Worst& one);
  void keep_larger(const LargestError& one);

  Worst worst_;
  LargestError largest_error_;
  bool any_ = false;                         // true: `worst_` has an element
  std::int64_t values_ = 0, unbounded_ = 0;  // all values; values with an infinite bound
  double largest_ = 0;                       // the largest magnitude of an exact value so far
  // Key: a bound. Value: how many values have this bound. Only values whose bound was at least
  // `largest_` when they were compared are counted. Bounds are rounded down to 12 significant bits,
  // so that there are only a few keys.
  std::map<float, std::int64_t> wide_;
};

}  // namespace normbench
