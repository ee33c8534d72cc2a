/// Forward error analysis: how far a correct result may lie from the exact one.
#pragma once

#include "core/enums.h"
#include "core/tensor.h"

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

/// A tensor whose exact values are known, and how well computed ones are.
struct Known {
  const Tensor64& values;  // not owned
  Accuracy accuracy = {};

  /// The largest magnitude of an exact value.
  double largest() const;
};

/// The largest error of a product of float32 values of both.
double product_error(const Known& a, const Known& b);

/// The accuracy of values with these exact ones, each computed in float32 to within `error` and
/// then stored in `dtype`.
Accuracy computed_values(const Tensor64& exact, double error, DType dtype);

/// The relative error of a float32 sum of `count` terms that is added up by halves or better, and
/// of a few operations on each term (Higham, section 4.2). A plain loop over many terms is worse.
double summation_error(std::int64_t count);

}  // namespace normbench
