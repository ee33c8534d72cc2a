/// Division by a number that is known before the launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace normbench::cuda {

__extension__ typedef unsigned __int128 Wide;

struct Quotient {
  std::int64_t quotient, remainder;
};

/// Divides with a multiplication and a shift (Granlund and Montgomery, "Division by invariant
/// integers using multiplication", 1994). If dividend and divisor are below 2^31, multiplies 32-bit
/// numbers. Otherwise multiplies 64-bit numbers.
struct Divisor {
  std::int64_t divisor = 1;
  std::uint64_t multiplier = std::uint64_t{1} << 63;        // ceil(2^(63 + shift) / divisor)
  std::uint32_t short_multiplier = std::uint32_t{1} << 31;  // ceil(2^(31 + shift) / divisor)
  std::uint32_t shift = 0;                                  // ceil(log2(divisor))

  /// Returns the Divisor for a positive `divisor`.
  static Divisor of(std::int64_t divisor) {
    Divisor d{.divisor = divisor};
    while (std::uint64_t{1} << d.shift < static_cast<std::uint64_t>(divisor)) ++d.shift;
    const auto wide = static_cast<Wide>(divisor);
    d.multiplier = static_cast<std::uint64_t>(((Wide{1} << (63 + d.shift)) + wide - 1) / wide);
    const bool exact = static_cast<std::uint32_t>(d.multiplier) == 0;
    d.short_multiplier = static_cast<std::uint32_t>(d.multiplier >> 32) + (exact ? 0 : 1);
    return d;
  }

  /// Returns the quotient and the remainder of `x` / `divisor`. `x` must not be negative.
  __host__ __device__ Quotient split(std::int64_t x) const {
    std::uint64_t quotient = 0;
    if (((x | divisor) >> 31) == 0)
      quotient = std::uint64_t{static_cast<std::uint32_t>(x)} * short_multiplier >> (31 + shift);
    else
      quotient =
          static_cast<std::uint64_t>(Wide{static_cast<std::uint64_t>(x) << 1} * multiplier >> 64) >>
          shift;
    const auto whole = static_cast<std::int64_t>(quotient);
    return {whole, x - whole * divisor};
  }
};

}  // namespace normbench::cuda
