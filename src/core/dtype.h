/// What holds an element of each dtype on the host, converted exactly and with round to nearest
/// even.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/enums.h"

namespace normbench {

struct Float16 {
  std::uint16_t bits = 0;
};

struct BFloat16 {
  std::uint16_t bits = 0;
};

inline double to_double(std::uint8_t value) { return value; }
inline double to_double(float value) { return value; }
double to_double(Float16 value);
double to_double(BFloat16 value);

/// `value` as a T. NaN is kept; uint8 saturates and has 0 for NaN.
template <class T>
T rounded(double value);
template <>
std::uint8_t rounded(double value);
template <>
Float16 rounded(double value);
template <>
BFloat16 rounded(double value);
template <>
inline float rounded(double value) {
  return static_cast<float>(value);
}

/// Calls `use` with a zero of the type that holds `dtype`.
template <class Use>
auto with_dtype(DType dtype, Use use) {
  switch (dtype) {
    case DType::UInt8:
      return use(std::uint8_t{});
    case DType::Float16:
      return use(Float16{});
    case DType::BFloat16:
      return use(BFloat16{});
    case DType::Float32:
      return use(float{});
  }
  __builtin_unreachable();
}

}  // namespace normbench
