/// Forward error analysis: how far a correct result may lie from the exact one, element by element.
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

/// The largest magnitude of the values. NaN counts for nothing; without values it is 0.
double largest_magnitude(std::span<const double> values);

/// How far each computed element of a tensor may lie from the exact one. Copies share the numbers.
class Errors {
 public:
  Errors(double everywhere = 0) : everywhere_(everywhere) {}
  Errors(std::vector<double> each)
      : each_(std::make_shared<const std::vector<double>>(std::move(each))) {}

  double at(std::size_t element) const { return each_ ? (*each_)[element] : everywhere_; }
  bool are_same_everywhere() const { return each_ == nullptr; }
  double largest() const { return each_ ? largest_magnitude(*each_) : everywhere_; }
  /// The errors of a tensor after its elements were moved. `move` does to a tensor of errors what
  /// was done to the values.
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
  std::shared_ptr<const std::vector<double>> each_;  // null: the same everywhere
  double everywhere_ = 0;
};

/// The values that a tensor may have, and their errors.
struct Accuracy {
  double low = 0, high = 0;  // all values are meant to lie between
  Errors errors = {};
  bool whole = false;  // exact and computed values are whole numbers, which small dtypes hold
  bool operator==(const Accuracy&) const = default;
};

/// A tensor of exact values, and the accuracy of computed ones.
struct Known {
  const Tensor64& values;  // not owned
  Accuracy accuracy = {};

  double error(std::size_t element) const { return accuracy.errors.at(element); }
};

/// An exact value, and how far computed ones may lie from it.
struct Estimate {
  double value = 0, error = 0;
};

/// The most that storing a value in a float dtype does to it.
struct Rounding {
  double relative = 0;  // the unit roundoff: half the distance between neighbours
  double least = 0;     // half the distance between the numbers next to 0
};
Rounding rounding_of(DType dtype);

/// Unit roundoff of a dtype; 0 for uint8.
double unit_roundoff(DType dtype);

/// The uint8 nearest to a value, of two the even one; 0 below the range and 255 above it.
inline double nearest_byte(double value) {
  // Doubles of this magnitude are 1 apart, so that the sum is rounded to a whole number.
  constexpr double whole_only = 0x1.8p52;
  return (std::clamp(value, 0.0, 255.0) + whole_only) - whole_only;
}

/// `a` after storing it in a float dtype. Whole numbers that the dtype holds stay as they are where
/// the element has no error, or where computed values are `whole` too. Overflow is not foreseen: an
/// infinity is outside any bound.
inline Estimate stored(Estimate a, const Rounding& to, bool whole = false) {
  constexpr double whole_only = 0x1.8p52;
  const double magnitude = std::abs(a.value) + a.error;
  // A dtype with p significant bits, u = 2^-p, holds every whole number up to 2^p.
  const bool fits = to.relative * magnitude <= 1;
  const bool exact = (a.error == 0) & ((a.value + whole_only) - whole_only == a.value);
  const double rounding = std::max(to.relative * magnitude, to.least);
  a.error += (fits & (whole | exact)) ? 0 : rounding;
  return a;
}

/// How far rounding `a` to the nearest uint8 may lead from `expected`, whatever value its error
/// allows. Without an error only the nearest uint8 counts.
inline double byte_error(const Estimate& a, double expected) {
  return std::max(nearest_byte(a.value + a.error) - expected,
                  expected - nearest_byte(a.value - a.error));
}

/// `a` rounded to the nearest uint8.
inline Estimate as_byte(const Estimate& a) {
  const double nearest = nearest_byte(a.value);
  return {nearest, byte_error(a, nearest)};
}

/// What a library may hold in the dtype of its output, where kernels here hold float32.
enum class Narrow {
  Input,       // x, and x * scale
  Constants,   // mean and std; gamma and beta, and their gradients
  Difference,  // x - mean, before it is divided
  Statistics,  // the new gradients, before old ones are added
  Gradients    // new ones, before they are added to old ones
};
constexpr auto words(Narrow) {
  return std::to_array<Word<Narrow>>({{Narrow::Input, "input"},
                                      {Narrow::Constants, "constants"},
                                      {Narrow::Difference, "difference"},
                                      {Narrow::Statistics, "statistics"},
                                      {Narrow::Gradients, "gradients"}});
}
using Rounds = std::vector<Narrow>;

/// The relative error of a value that is held in `dtype`; 0 where it is held in float32 or better.
inline double roundoff_of(const Rounds& rounds, Narrow held, DType dtype) {
  const bool narrow = std::ranges::find(rounds, held) != rounds.end();
  return narrow && dtype != DType::Float32 ? unit_roundoff(dtype) : 0;
}

/// A constant that kernels hold in float32, with an additional relative error where one is given.
struct Constant {
  explicit Constant(double exact, double roundoff = 0)
      : exact(exact), lost(std::abs(held(exact) - exact) + roundoff * std::abs(exact)) {}
  static double held(double exact) { return static_cast<double>(static_cast<float>(exact)); }

  double exact, lost;
};

/// a - b, exact but for the constant: the error grows by what b loses in float32, and not by the
/// rounding of the result.
inline Estimate minus(const Estimate& a, const Constant& b) {
  return {a.value - b.exact, a.error + b.lost};
}
/// The product, with |a' b' - a b| <= |a' - a| |b| + |a'| |b' - b|.
inline Estimate times(const Estimate& a, const Constant& b) {
  return {a.value * b.exact, a.error * std::abs(b.exact) + (std::abs(a.value) + a.error) * b.lost};
}
/// The constant 1 / b, where kernels hold b in float32.
struct Divisor {
  explicit Divisor(double exact, double roundoff = 0)
      : reciprocal(1 / exact),
        lost(std::abs(1 / Constant::held(exact) - 1 / exact) + 2 * roundoff * std::abs(1 / exact)) {
  }  // 1 / (1 - u) - 1 <= 2 u

  double reciprocal, lost;
};
inline Estimate over(const Estimate& a, const Divisor& b) {
  return {a.value * b.reciprocal,
          a.error * std::abs(b.reciprocal) + (std::abs(a.value) + a.error) * b.lost};
}

/// Rounds the result of one float32 operation that is then stored in a dtype.
struct Computed {
  explicit Computed(DType to) : is_narrow(to != DType::Float32), narrow(rounding_of(to)) {}
  Estimate operator()(const Estimate& a) const {
    const Estimate result = stored(a, float32);
    return is_narrow ? stored(result, narrow) : result;
  }

  bool is_narrow;
  Rounding narrow, float32 = rounding_of(DType::Float32);
};

/// The product of two float32 values, rounded.
Estimate product(const Estimate& a, const Estimate& b);

/// The accuracy of values `exact` that are each computed in float32 to within their errors and then
/// stored in `dtype`.
Accuracy computed_values(const Tensor64& exact, std::vector<double> errors, DType dtype);

/// The accuracy of x after an op on each element. `of_channel(c)` returns the function that the op
/// is in channel c, from Estimate to Estimate.
template <class OfChannel>
Accuracy pointwise(const Known& x, OfChannel of_channel);

/// The relative error of a float32 sum of `count` terms that is added up by halves or better, with
/// a few operations on each term (Higham, section 4.2). A plain loop over many terms is worse.
double summation_error(std::int64_t count);

template <class OfChannel>
Accuracy pointwise(const Known& x, OfChannel of_channel) {
  const Shape& shape = x.values.shape;
  const auto plane = static_cast<std::size_t>(shape.h * shape.w);
  const auto channels = static_cast<std::size_t>(shape.c);
  Accuracy found{.low = INFINITY, .high = -INFINITY};
  const bool bytes = x.accuracy.whole && x.accuracy.errors == Errors(0) && x.accuracy.low >= 0 &&
                     x.accuracy.high <= 255 && plane > 256;  // few values, many elements
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
