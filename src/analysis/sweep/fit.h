/// The fixed cost of a variant and its cost per byte, t = a + bytes/b along an axis; and results
/// that do not grow with their work.
#pragma once

#include <span>

#include "analysis/sweep/sweep.h"

namespace normbench {

/// Hockney's line t = a + n/b, which he writes t = (n + n_half)/r_inf (R. W. Hockney and C. R.
/// Jesshope, Parallel Computers, 1981, section 1.3).
struct LineFit {
  double fixed_ns = 0;     // a, never negative
  double ns_per_byte = 0;  // 1/b, positive
  double worst = 0;        // the largest residual, relative to its time

  /// The rate b; bytes per nanosecond are GB/s.
  double gb_per_s() const { return 1 / ns_per_byte; }
  /// The bytes n_half at which half of b is reached: a * b.
  double half_bytes() const { return fixed_ns / ns_per_byte; }
};

/// The line with the smallest sum of squared relative residuals. The weights are 1/t^2, since the
/// noise of times is proportional to them (P. R. Bevington, Data Reduction and Error Analysis for
/// the Physical Sciences, 1969, section 6-3). It goes through zero where a would be negative, or
/// no more than rounding. Nothing for fewer than three amounts of bytes, or when times do not
/// grow.
std::optional<LineFit> fit_line(std::span<const double> bytes, std::span<const double> times_ns);

/// A variant's line along an axis whose points differ in the bytes moved.
struct AxisFit {
  std::string variant;
  std::size_t points = 0;
  LineFit fitted;
  double amount90 = 0;    // on the axis (batch, pixels): 90 % of b is reached there
  bool explains = false;  // no point is off by more than 20 %
};

/// The fits along this line of the experiment, of all variants that have one.
std::vector<AxisFit> fits(const Experiment& experiment, const AxisLine& line);

/// The variant's fixed cost, by its fit along an axis through this group of the document; nothing
/// where no fit explains its points.
std::optional<double> fixed_cost_ns(const GroupResult& group, const std::string& variant,
                                    const Results& results);

/// A variant whose time stays the same while the bytes it moves grow.
struct Unscaled {
  std::string variant;
  Json small, large;    // the ends of the measured points
  double work = 1;      // bytes moved at `large` over bytes at `small`
  double fixed_ns = 0;  // the median of the times
};

/// Variants whose bytes at least double along the line while their time certainly grows by less
/// than a tenth of that, and by less than a quarter.
std::vector<Unscaled> unscaled(const Experiment& experiment, const AxisLine& line);

}  // namespace normbench
