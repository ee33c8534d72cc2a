#include "core/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace normbench {
namespace {

struct Format {
  explicit Format(DType dtype)
      : sign_bit(8 * row_of(dtype).bytes - 1),
        mantissa_bits(row_of(dtype).significant_bits - 1),
        lowest_exponent(row_of(dtype).lowest_exponent) {}

  int sign_bit;
  int mantissa_bits;
  int lowest_exponent;

  std::uint64_t magnitude_mask() const { return (std::uint64_t{1} << sign_bit) - 1; }
  std::uint64_t mantissa_mask() const { return (std::uint64_t{1} << mantissa_bits) - 1; }
  std::uint64_t infinity() const { return magnitude_mask() & ~mantissa_mask(); }
};

constexpr int double_bits = 52;
constexpr std::uint64_t double_infinity = 0x7ff0000000000000;

std::uint64_t rounded_magnitude(std::uint64_t bits, Format format) {
  const int exponent = static_cast<int>(bits >> double_bits) - 1023;
  const int below = exponent < format.lowest_exponent ? format.lowest_exponent - exponent : 0;
  const int shift = double_bits - format.mantissa_bits + below;
  if (shift > double_bits + 1) return 0;
  const std::uint64_t significand =
      (bits & ((std::uint64_t{1} << double_bits) - 1)) | std::uint64_t{1} << double_bits;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  std::uint64_t kept = significand >> shift;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // `kept` includes the hidden bit, which lies at the lowest bit of the exponent field and so
  // counts as 1 in that field. The rest of the exponent field is added here. If rounding has
  // carried out of the mantissa, the carry has added another 1.
  if (below == 0)
    kept += static_cast<std::uint64_t>(exponent - format.lowest_exponent) << format.mantissa_bits;
  return kept < format.infinity() ? kept : format.infinity();
}

}  // namespace

double value_of_bits(std::uint64_t bits, DType dtype) {
  const Format format(dtype);
  const std::uint64_t sign = bits >> format.sign_bit << 63;
  const std::uint64_t magnitude = bits & format.magnitude_mask();
  const int shift = double_bits - format.mantissa_bits;
  if (magnitude >= format.infinity())
    return std::bit_cast<double>(sign | double_infinity |
                                 (magnitude & format.mantissa_mask()) << shift);
  const std::uint64_t exponent = magnitude >> format.mantissa_bits;
  // A subnormal number has no hidden bit, but a normal double has one. So the value is built with
  // the hidden bit, which is subtracted afterwards.
  const std::uint64_t field = (exponent == 0 ? 1 : exponent) + 1022 + format.lowest_exponent;
  const double hidden = std::bit_cast<double>(field << double_bits);
  const double value =
      std::bit_cast<double>(field << double_bits | (magnitude & format.mantissa_mask()) << shift);
  const double absolute = exponent == 0 ? value - hidden : value;
  return sign != 0 ? -absolute : absolute;
}

std::uint64_t nearest_bits(double value, DType dtype) {
  const Format format(dtype);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << format.sign_bit;
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude <= double_infinity)
    return sign | (magnitude == double_infinity ? format.infinity()
                                                : rounded_magnitude(magnitude, format));
  std::uint64_t payload =
      magnitude >> (double_bits - format.mantissa_bits) & format.mantissa_mask();
  if (payload == 0) payload = std::uint64_t{1} << (format.mantissa_bits - 1);
  return sign | format.infinity() | payload;
}

template <>
std::uint8_t rounded(double value) {
  // NaN fails this comparison, so it becomes 0.
  return static_cast<std::uint8_t>(value > 0 ? std::nearbyint(std::min(value, 255.0)) : 0);
}

}  // namespace normbench
