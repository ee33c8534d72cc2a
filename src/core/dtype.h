/// C++ types for an element of each dtype on the host, and conversions that round to nearest even.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/enums.h"

namespace normbench {

/// The unsigned integer of the size of one element, for dtypes of 8 or 16 bits.
template <DType D>
using Bits = std::conditional_t<size_of(D) == 1, std::uint8_t, std::uint16_t>;

/// An element of a float dtype for which C++ has no type.
template <DType D>
struct SmallFloat {
  static constexpr DType dtype = D;
  Bits<D> bits = 0;
};
using Float16 = SmallFloat<DType::Float16>;
using BFloat16 = SmallFloat<DType::BFloat16>;

/// The C++ type of an element of a dtype.
template <DType D>
requires(is_float(D) || D == DType::UInt8) using Element = std::conditional_t<
    D == DType::Float32, float, std::conditional_t<is_float(D), SmallFloat<D>, std::uint8_t>>;

/// value_of_bits() converts the bits of a Float16 or BFloat16 to its value. nearest_bits() returns
/// the bits of the small float nearest to `value`; ties go to even.
double value_of_bits(std::uint64_t bits, DType dtype);
std::uint64_t nearest_bits(double value, DType dtype);

inline double to_double(std::uint8_t value) { return value; }
inline double to_double(float value) { return value; }
template <DType D>
double to_double(SmallFloat<D> value) {
  return value_of_bits(value.bits, D);
}

/// Returns `value` rounded to a T. A float keeps NaN. A uint8 saturates, and becomes 0 for NaN.
template <class T>
T rounded(double value) {
  return {static_cast<Bits<T::dtype>>(nearest_bits(value, T::dtype))};
}
template <>
std::uint8_t rounded(double value);
template <>
inline float rounded(double value) {
  return static_cast<float>(value);
}

/// A dtype that is known at compile time.
template <DType D>
using Fixed = std::integral_constant<DType, D>;

/// Calls `use(Fixed<D>())`, where D is `dtype`, and returns the result.
template <std::size_t Row = 0, class Use>
auto with_fixed(DType dtype, Use use) {
  constexpr DType here = dtype_rows[Row].value;
  if constexpr (Row + 1 < dtype_rows.size())
    if (dtype != here) return with_fixed<Row + 1>(dtype, use);
  return use(Fixed<here>());
}

/// Calls `use` with a zero of the C++ type of `dtype`, and returns the result.
template <class Use>
auto with_dtype(DType dtype, Use use) {
  return with_fixed(dtype, [&]<DType D>(Fixed<D>) { return use(Element<D>{}); });
}

}  // namespace normbench
