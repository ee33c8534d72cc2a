/// 16-bit floats as storage, converted with round to nearest even, NaN kept.
#pragma once

#include <cstdint>

namespace normbench {

struct Float16 {
  std::uint16_t bits = 0;
};

struct BFloat16 {
  std::uint16_t bits = 0;
};

double to_double(Float16 value);
double to_double(BFloat16 value);
Float16 to_float16(double value);
BFloat16 to_bfloat16(double value);

}  // namespace normbench
