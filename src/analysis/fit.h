/// What a variant costs at all, and what each byte costs beyond: t = a + bytes/b along an axis.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/axis.h"

namespace normbench {

/// Hockney's line t = a + n/b, which he writes t = (n + n_half)/r_inf (R. W. Hockney and
/// C. R. Jesshope, Parallel Computers, 1981, section 1.3).
struct LineFit {
  double fixed_ns = 0;     // a, never negative
  double ns_per_byte = 0;  // 1/b, positive
  double worst = 0;        // the largest residual, relative to its time

  /// b; bytes per nanosecond are GB/s.
  double gb_per_s() const { return 1 / ns_per_byte; }
  /// n_half, the bytes at which half of b is reached: a * b.
  double half_bytes() const { return fixed_ns / ns_per_byte; }
};

/// The line with the smallest sum of squared relative residuals: least squares with the weights
/// 1/t^2, for the noise of times is proportional to them (P. R. Bevington, Data Reduction and Error
/// Analysis for the Physical Sciences, 1969, section 6-3). Through zero where a would be negative,
/// or no more than rounding. Nothing for fewer than three different amounts of bytes, or when times
/// do not grow with them.
std::optional<LineFit> fit_line(std::span<const double> bytes, std::span<const double> times_ns);

/// A variant's line along an axis whose points differ in the bytes moved.
struct LinearFit {
  std::string variant;
  std::size_t points = 0;
  LineFit fitted;
  double amount90 = 0;    // of the axis (batch, pixels): from there on 90 % of b is reached
  bool explains = false;  // no point is off by more than 20 %
};

/// Bytes that all stages of a case move, per iteration.
double moved_bytes(const CaseResult& result);

/// The fits of all variants that have one along this line of the experiment.
std::vector<LinearFit> fits(const Experiment& experiment, const AxisLine& line);

/// "Fixed cost of fused: 0.80 ms; then 65.2 GB/s, 90 % of it from batch 24 on"; "" when no line
/// fits or there is no fixed cost.
std::string fit_text(const AxisLine& line, const LinearFit& fit);

}  // namespace normbench
