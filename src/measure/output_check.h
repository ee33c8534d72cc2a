/// An output held to its exact values, element by element.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>

#include "measure/references.h"

namespace normbench {

/// The element nearest to its bound, or farthest beyond it.
struct Worst {
  double error = 0, bound = 0;        // the error is infinite for NaN
  std::int64_t image = 0, index = 0;  // the index is within the image
  double expected = 0, got = 0;

  /// Above 1: farther than a right one may be.
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

/// Compares an output, slab by slab. A value cannot be checked where its bound is not finite or not
/// smaller than the largest exact magnitude of the output: rounding alone may then be as large as
/// the values, and zeros would pass. Where all exact values are 0, any finite bound will do.
class OutputCheck {
 public:
  /// Compares these images, or these rows of images that are `height` high (0: as high as `got`).
  void compare(const Exact& exact, const Tensor64& got, const ImageRange& images = {},
               std::int64_t height = 0);

  /// Adds what another check found in other parts of the same output.
  void add(const OutputCheck& other);

  const Worst& worst() const { return worst_; }
  const LargestError& largest_error() const { return largest_error_; }
  std::int64_t values() const { return values_; }
  /// How many of the values could not be checked.
  std::int64_t unchecked() const;
  /// True if at least half of the values could be checked.
  bool is_checked() const { return 2 * unchecked() <= values_; }

 private:
  struct Place {
    std::int64_t image, index;  // the index is within the image
  };
  /// False where none of these values changes what is known.
  bool may_matter(std::span<const double> expected, std::span<const double> got,
                  std::span<const double> bounds) const;
  void compare_one(double expected, double got, double bound, const Place& place);
  void keep_worse(const Worst& one);
  void keep_larger(const LargestError& one);

  Worst worst_;
  LargestError largest_error_;
  bool any_ = false;
  std::int64_t values_ = 0, unbounded_ = 0;
  double largest_ = 0;  // magnitude of an exact value so far
  // How many values had bounds that were not smaller than that, by their bounds without the last
  // digits: there may be as many as values, and few that differ much.
  std::map<float, std::int64_t> wide_;
};

}  // namespace normbench
