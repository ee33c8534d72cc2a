/// Division by a number known before the launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace normbench::cuda {

struct Quotient {
  std::int64_t quotient, remainder;
};

/// For dividends and divisors below 2^31 one multiplication and a shift (Granlund and Montgomery,
/// "Division by invariant integers using multiplication", 1994), above that a 64-bit division.
struct Divisor {
  std::int64_t divisor = 1;
  std::uint32_t multiplier = 0x80000000;  // ceil(2^(31 + shift) / divisor)
  std::uint32_t shift = 0;                // ceil(log2(divisor))

  static Divisor of(std::int64_t divisor) {
    Divisor d{.divisor = divisor, .multiplier = 0, .shift = 0};
    if (divisor >> 31 != 0) return d;
    while ((std::int64_t{1} << d.shift) < divisor) ++d.shift;
    const std::uint64_t power = std::uint64_t{1} << (31 + d.shift);
    d.multiplier = static_cast<std::uint32_t>((power + static_cast<std::uint64_t>(divisor) - 1) /
                                              static_cast<std::uint64_t>(divisor));
    return d;
  }

  __host__ __device__ Quotient split(std::int64_t x) const {
    std::int64_t quotient = 0;
    if (((x | divisor) >> 31) == 0)
      quotient = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * multiplier >>
                                           (31 + shift));
    else
      quotient = x / divisor;
    return {quotient, x - quotient * divisor};
  }
};

}  // namespace normbench::cuda
