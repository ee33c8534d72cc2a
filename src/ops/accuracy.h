/// Forward error analysis: computes how far each element of a correct result may be from the exact
/// value.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/enums.h"
#include "core/tensor.h"

namespace normbench {

/// Returns the largest magnitude of the values, without NaN; 0 if there are no values.
double largest_magnitude(std::span<const double> values);

/// For each element of a tensor, a bound on the difference between the computed and the exact
/// value. Copies of this object share the memory of the bounds.
class Errors {
 public:
  Errors(double everywhere = 0) : everywhere_(everywhere) {}
  Errors(std::vector<double> each)
      : each_(std::make_shared<const std::vector<double>>(std::move(each))) {}

  double at(std::size_t element) const { return each_ ? (*each_)[element] : everywhere_; }
  bool are_same_everywhere() const { return each_ == nullptr; }
  double largest() const { return each_ ? largest_magnitude(*each_) : everywhere_; }
  /// Returns the bounds for a tensor whose elements were moved. `move(tensor)` must return `tensor`
  /// with its elements moved in the same way. `shape` is the shape before the move.
  template <class Move>
  Errors moved(const Shape& shape, Move move) const {
    if (are_same_everywhere()) return *this;
    return move(Tensor64{.shape = shape, .values = *each_}).values;
  }
  bool operator==(const Errors& other) const {
    if (each_ && other.each_) return *each_ == *other.each_;
    return !each_ && !other.each_ && everywhere_ == other.everywhere_;
  }

 private:
  std::shared_ptr<const std::vector<double>> each_;  // null: all elements have `everywhere_`
  double everywhere_ = 0;
};

/// The range of the exact values of a tensor, and bounds on the errors of the values that kernels
/// compute.
struct Accuracy {
  double low = 0, high = 0;  // the smallest and the largest exact value, or bounds of them
  Errors errors = {};
  bool whole = false;  // all exact and computed values are whole numbers
  bool operator==(const Accuracy&) const = default;
};

/// A tensor of exact values, and the accuracy of computed values.
struct Known {
  const Tensor64& values;  // not owned
  Accuracy accuracy = {};

  double error(std::size_t element) const { return accuracy.errors.at(element); }
};

/// An exact value, and a bound on how far a computed value may be from it.
struct Estimate {
  double value = 0, error = 0;
};

/// The largest error that occurs when a value is stored in a float dtype. It is `relative` times
/// the magnitude of the value, or `least`, whichever is larger.
struct Rounding {
  double relative = 0;  // unit roundoff: half the distance from 1 to the next number
  double least = 0;     // half the distance between 0 and the next number
};
Rounding rounding_of(DType dtype);

/// Returns the unit roundoff of a dtype; 0 for uint8.
double unit_roundoff(DType dtype);

/// Returns the uint8 value that is nearest to `value`, as a double. If two are equally near,
/// returns the even one. Values below 0 become 0, and values above 255 become 255.
inline double nearest_byte(double value) {
  // Doubles of this magnitude are whole numbers, so adding it rounds to a whole number.
  constexpr double whole_only = 0x1.8p52;
  return (std::clamp(value, 0.0, 255.0) + whole_only) - whole_only;
}

/// Returns `a` after it is stored in a float dtype, with the rounding error added. No error is
/// added if the computed value is certainly a whole number that the dtype can hold. This is so if
/// the value of `a` is whole and has no error, or if the caller passes `whole`. Overflow is not
/// considered, because an infinity is outside any bound.
inline Estimate stored(Estimate a, const Rounding& to, bool whole = false) {
  constexpr double whole_only = 0x1.8p52;
  const double magnitude = std::abs(a.value) + a.error;
  // A dtype with p significant bits has the unit roundoff 2^-p, and holds every whole number up to
  // 2^p.
  const bool fits = to.relative * magnitude <= 1;
  const bool exact = (a.error == 0) & ((a.value + whole_only) - whole_only == a.value);
  const double rounding = std::max(to.relative * magnitude, to.least);
  a.error += (fits & (whole | exact)) ? 0 : rounding;
  return a;
}

/// Returns how far a computed value may be from `expected` after it is rounded to the nearest
/// uint8. `a` is the estimate before the rounding.
inline double byte_error(const Estimate& a, double expected) {
  return std::max(nearest_byte(a.value + a.error) - expected,
                  expected - nearest_byte(a.value - a.error));
}

/// Returns `a` rounded to the nearest uint8.
inline Estimate as_byte(const Estimate& a) {
  const double nearest = nearest_byte(a.value);
  return {nearest, byte_error(a, nearest)};
}

/// Values that a library may round to the dtype of its output. The kernels of normbench keep these
/// values in float32.
enum class Narrow {
  Input,       // x and x * scale
  Constants,   // mean and std; gamma and beta and their gradients
  Difference,  // x - mean, before the division
  Statistics,  // mean and rstd of groups
  Gradients    // new gradients, before they are added to old ones
};
constexpr auto words(Narrow) {
  return std::to_array<Word<Narrow>>({{Narrow::Input, "input"},
                                      {Narrow::Constants, "constants"},
                                      {Narrow::Difference, "difference"},
                                      {Narrow::Statistics, "statistics"},
                                      {Narrow::Gradients, "gradients"}});
}
using Rounds = std::vector<Narrow>;

/// Returns the relative error of a value that a library holds in `dtype`. Returns 0 if the value is
/// not in `rounds` or if `dtype` is float32.
inline double roundoff_of(const Rounds& rounds, Narrow held, DType dtype) {
  const bool narrow = std::ranges::find(rounds, held) != rounds.end();
  return narrow && dtype != DType::Float32 ? unit_roundoff(dtype) : 0;
}

/// A constant that kernels hold in float32. `lost` bounds how far the constant in a kernel may be
/// from `exact`. The parameter `roundoff` is a further relative error, for libraries that hold the
/// constant in a smaller dtype.
struct Constant {
  explicit Constant(double exact, double roundoff = 0)
      : exact(exact), lost(std::abs(held(exact) - exact) + roundoff * std::abs(exact)) {}
  static double held(double exact) { return static_cast<double>(static_cast<float>(exact)); }

  double exact, lost;
};

/// Returns a - b. Its error is the error of `a` plus `b.lost`; a rounding of the result is not
/// included.
inline Estimate minus(const Estimate& a, const Constant& b) {
  return {a.value - b.exact, a.error + b.lost};
}
/// Returns a * b. Its error follows from |a' b' - a b| <= |a' - a| |b| + |a'| |b' - b|, where a'
/// and b' are computed values. A rounding of the result is not included.
inline Estimate times(const Estimate& a, const Constant& b) {
  return {a.value * b.exact, a.error * std::abs(b.exact) + (std::abs(a.value) + a.error) * b.lost};
}
/// The reciprocal of a constant that kernels hold in float32. `lost` bounds how far the reciprocal
/// in a kernel is from the exact one.
struct Divisor {
  explicit Divisor(double exact, double roundoff = 0)
      : reciprocal(1 / exact),
        lost(std::abs(1 / Constant::held(exact) - 1 / exact) + 2 * roundoff * std::abs(1 / exact)) {
  }  // the factor 2: for a roundoff u, 1 / (1 - u) - 1 <= 2 u

  double reciprocal, lost;
};
inline Estimate over(const Estimate& a, const Divisor& b) {
  return {a.value * b.reciprocal,
          a.error * std::abs(b.reciprocal) + (std::abs(a.value) + a.error) * b.lost};
}

/// Adds the errors that occur when the result of one operation is rounded to float32, and then to
/// the dtype in which it is stored.
struct Computed {
  explicit Computed(DType to) : is_narrow(to != DType::Float32), narrow(rounding_of(to)) {}
  Estimate operator()(const Estimate& a) const {
    const Estimate result = stored(a, float32);
    return is_narrow ? stored(result, narrow) : result;
  }

  bool is_narrow;
  Rounding narrow, float32 = rounding_of(DType::Float32);
};

/// Returns the product of two values. Its error includes the rounding to float32.
Estimate product(const Estimate& a, const Estimate& b);

/// Returns the accuracy of values that are computed in float32 and then stored in `dtype`. `errors`
/// has a bound on the error of each computed value before it is rounded and stored.
Accuracy computed_values(const Tensor64& exact, std::vector<double> errors, DType dtype);

/// Returns the accuracy of an op that computes each output element from the element of x at the
/// same position. `of_channel(c)` returns the computation in channel c, as a function from Estimate
/// to Estimate.
template <class OfChannel>
Accuracy pointwise(const Known& x, OfChannel of_channel);

/// Returns a bound on the relative error of a float32 sum of `count` terms, including a few
/// operations on each term. The bound holds for pairwise summation and for more accurate orders
/// (Higham: Accuracy and Stability of Numerical Algorithms, section 4.2). It does not hold for a
/// plain loop over many terms.
double summation_error(std::int64_t count);

template <class OfChannel>
Accuracy pointwise(const Known& x, OfChannel of_channel) {
  const Shape& shape = x.values.shape;
  const auto plane = static_cast<std::size_t>(shape.h * shape.w);
  const auto channels = static_cast<std::size_t>(shape.c);
  Accuracy found{.low = INFINITY, .high = -INFINITY};
  const bool bytes = x.accuracy.whole && x.accuracy.errors == Errors(0) && x.accuracy.low >= 0 &&
                     x.accuracy.high <= 255 && plane > 256;  // then a table of 256 errors is faster
  std::vector<double> errors(x.values.values.size());
  for (std::size_t first = 0, number = 0; first < errors.size(); first += plane, ++number) {
    const auto estimate = of_channel(static_cast<std::int64_t>(number % channels));
    if (number < channels)
      for (const double end : {x.accuracy.low, x.accuracy.high}) {
        const double value = estimate(Estimate{end, 0}).value;
        found.low = std::min(found.low, value);
        found.high = std::max(found.high, value);
      }
    if (bytes) {
      std::array<double, 256> of_byte;
      for (std::size_t byte = 0; byte < of_byte.size(); ++byte)
        of_byte[byte] = estimate(Estimate{static_cast<double>(byte), 0}).error;
      for (std::size_t i = first; i < first + plane; ++i)
        errors[i] = of_byte[static_cast<std::uint8_t>(x.values.values[i])];
    } else if (x.accuracy.errors.are_same_everywhere()) {
      const double error = x.error(0);
      for (std::size_t i = first; i < first + plane; ++i)
        errors[i] = estimate(Estimate{x.values.values[i], error}).error;
    } else {
      for (std::size_t i = first; i < first + plane; ++i)
        errors[i] = estimate(Estimate{x.values.values[i], x.error(i)}).error;
    }
  }
  found.errors = std::move(errors);
  return found;
}

}  // namespace normbench
