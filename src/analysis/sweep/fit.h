/// Fits times along an axis by t = a + bytes/b: a fixed cost and a cost per byte. Also finds times
/// that do not grow with the work.
#pragma once

#include <span>

#include "analysis/sweep/sweep.h"

namespace normbench {

/// Hockney's line t = a + n/b. He writes it as t = (n + n_half)/r_inf (R. W. Hockney and C. R.
/// Jesshope, Parallel Computers, 1981, section 1.3).
struct LineFit {
  double fixed_ns = 0;     // a in ns, never negative
  double ns_per_byte = 0;  // 1/b, always positive
  double worst = 0;        // largest |residual| / time

  /// Returns the rate b in GB/s, which is bytes per nanosecond.
  double gb_per_s() const { return 1 / ns_per_byte; }
  /// Returns n_half = a * b, the bytes at which half of the rate b is reached.
  double half_bytes() const { return fixed_ns / ns_per_byte; }
};

/// Returns the line with the smallest sum of squared relative residuals. The weights are 1/t^2,
/// since the noise of times is proportional to them (P. R. Bevington, Data Reduction and Error
/// Analysis for the Physical Sciences, 1969, section 6-3). The line goes through zero if `a` would
/// be negative or a rounding error. Returns nothing for fewer than three different amounts of
/// bytes, or if times do not grow.
std::optional<LineFit> fit_line(std::span<const double> bytes, std::span<const double> times_ns);

/// The line of a variant along an axis whose points differ in the bytes moved.
struct AxisFit {
  std::string variant;
  std::size_t points = 0;
  LineFit fitted;
  double amount90 = 0;    // value on the axis (batch, pixels) at which 90 % of b is reached
  bool explains = false;  // `fitted.worst` is at most 20 %
};

/// Returns a fit for each variant along this line. Leaves out variants to which no line can be
/// fitted.
std::vector<AxisFit> fits(const Experiment& experiment, const AxisLine& line);

/// Returns the variant's fixed cost in ns, from a fit along an axis through this group. Uses the
/// first axis along which all points are within 20 % of the fit; returns nothing if there is none.
std::optional<double> fixed_cost_ns(const GroupResult& group, const std::string& variant,
                                    const MeasuredDocument& document);

/// A variant whose time hardly changes while the bytes that it moves grow.
struct Unscaled {
  std::string variant;
  Json small, large;    // axis values of the first and the last measured point
  double work = 1;      // bytes at `large` over bytes at `small`
  double fixed_ns = 0;  // median of the times
};

/// Returns the variants whose bytes at least double from the first to the last point of the line,
/// while their time hardly grows: by less than a quarter, and by less than a tenth of the growth of
/// the bytes. This must hold even from the lower bound of the first time to the upper bound of the
/// last time.
std::vector<Unscaled> unscaled(const Experiment& experiment, const AxisLine& line);

}  // namespace normbench
