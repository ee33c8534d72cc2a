/// Converts between the bits of registers and values, and rounds as PTX does.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace normbench::ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// The bits of a 16-bit float. The type has conversions, but no arithmetic.
struct F16 {
  static constexpr int precision = 11, least_exponent = -14;
  u16 bits;
};
struct BF16 {
  static constexpr int precision = 8, least_exponent = -126;
  u16 bits;
};
template <class T>
concept Small = std::same_as<T, F16> || std::same_as<T, BF16>;

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

/// Returns the value of type T in the low bits of a register. Ignores the higher bits.
template <class T>
T from_bits(u64 bits) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else
    return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

/// Returns the bits of a register that holds x. Signed numbers are sign-extended to 64 bits.
template <class T>
u64 to_bits(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<u64>(x);
  else
    return std::bit_cast<BitsOf<T>>(x);
}

/// The NaN that instructions return.
template <class T>
T canonical_nan() {
  return from_bits<T>(sizeof(T) == 8 ? 0x7FF8000000000000 : sizeof(T) == 4 ? 0x7FFFFFFF : 0x7FFF);
}

template <Small T>
double widened(T x) {
  constexpr int fraction_bits = T::precision - 1;
  const int fraction = x.bits & ((1 << fraction_bits) - 1);
  const int exponent = (x.bits & 0x7FFF) >> fraction_bits;
  constexpr int special = 0x7FFF >> fraction_bits;
  double size = std::ldexp(exponent == 0 ? fraction : fraction + (1 << fraction_bits),
                           (exponent == 0 ? 1 : exponent) - 1 + T::least_exponent - fraction_bits);
  if (exponent == special) size = fraction == 0 ? HUGE_VAL : canonical_nan<double>();
  return x.bits & 0x8000 ? -size : size;
}

/// Rounds x to a T in one step, in the rounding mode that fesetround() has set.
template <Small T>
T narrowed(double x) {
  constexpr int fraction_bits = T::precision - 1;
  constexpr u16 infinity = 0x7FFF >> fraction_bits << fraction_bits;
  if (std::isnan(x)) return canonical_nan<T>();
  const u16 sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isinf(x)) return {static_cast<u16>(sign | infinity)};
  const int exponent = x == 0 ? T::least_exponent : std::max(std::ilogb(x), T::least_exponent);
  const double steps = std::abs(std::nearbyint(std::ldexp(x, fraction_bits - exponent)));
  const auto bits =
      static_cast<s64>(steps) + (static_cast<s64>(exponent - T::least_exponent) << fraction_bits);
  if (bits < infinity) return {static_cast<u16>(sign | bits)};
  const bool inwards = std::abs(std::nearbyint(sign ? -1.75 : 1.75)) == 1;
  return {static_cast<u16>(sign | (infinity - (inwards ? 1 : 0)))};
}

/// Converts a float to an integer, in the rounding mode that fesetround() has set. Clamps numbers
/// outside of the range of To. NaN becomes 0. But if From is double or To has 64 bits, NaN becomes
/// the number with only the highest bit set.
template <std::integral To, std::floating_point From>
To to_integer(From x) {
  using Limits = std::numeric_limits<To>;
  constexpr bool nan_is_zero = !std::is_same_v<From, double> && sizeof(To) < 8;
  if (std::isnan(x)) return nan_is_zero ? 0 : static_cast<To>(To{1} << (sizeof(To) * 8 - 1));
  const From whole = std::nearbyint(x);
  if (whole <= static_cast<From>(Limits::min())) return Limits::min();
  if (whole >= std::ldexp(From{1}, Limits::digits)) return Limits::max();
  return static_cast<To>(whole);
}

template <std::integral To, std::integral From>
To clamped(From x) {
  using Limits = std::numeric_limits<To>;
  if (std::cmp_less(x, Limits::min())) return Limits::min();
  return std::cmp_greater(x, Limits::max()) ? Limits::max() : static_cast<To>(x);
}

template <class T>
T flushed(T x) {
  if constexpr (std::is_same_v<T, float>)
    if (std::fpclassify(x) == FP_SUBNORMAL) return std::copysign(0.0f, x);
  return x;
}

}  // namespace normbench::ptx
