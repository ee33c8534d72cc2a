/// Forward error analysis: how far a correct result may lie from the exact one.
#pragma once

#include "core/enums.h"

namespace normbench {

/// What is known of a tensor: exact values lie in [low, high], computed ones within `error`.
struct Accuracy {
  double low = 0, high = 0;
  double error = 0;
  bool whole = false;  // exact and computed values are whole numbers, which small dtypes hold
  bool operator==(const Accuracy&) const = default;
  /// Largest magnitude of a computed value.
  double magnitude() const;
};

/// Unit roundoff of a dtype: half the distance between neighbours, relative; 0 for uint8.
double unit_roundoff(DType dtype);

/// The accuracy after storing values of accuracy `a` in `dtype`. Exact values stay unrounded; for
/// uint8 they are clamped to [0, 255]. Overflow is not foreseen: an infinity is outside any bound.
Accuracy stored(Accuracy a, DType dtype);

/// `a` as the result of one float32 operation that is then stored in `dtype`.
Accuracy computed(Accuracy a, DType dtype);

/// Exact arithmetic on inaccurate values with a constant that kernels hold in float32: the error
/// grows by what the constant loses in float32, not by the rounding of the result.
Accuracy minus(const Accuracy& a, double constant);
Accuracy times(const Accuracy& a, double constant);
Accuracy over(const Accuracy& a, double constant);

/// The accuracy of a tensor that holds values of both.
Accuracy hull(const Accuracy& a, const Accuracy& b);

}  // namespace normbench
