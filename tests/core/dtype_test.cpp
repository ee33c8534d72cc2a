#include "core/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace normbench::dtype_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Float16, EveryBitPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    ASSERT_EQ(rounded<Float16>(to_double(half)).bits, bits);
  }
}

TEST(BFloat16, EveryBitPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const BFloat16 brain{static_cast<std::uint16_t>(bits)};
    ASSERT_EQ(rounded<BFloat16>(to_double(brain)).bits, bits);
  }
}

TEST(Float16, ValuesAreThoseOfTheFormat) {
  EXPECT_EQ(to_double(Float16{0x3c00}), 1.0);
  EXPECT_EQ(to_double(Float16{0xc000}), -2.0);
  EXPECT_EQ(to_double(Float16{0x7bff}), 65504.0);
  EXPECT_EQ(to_double(Float16{0x0400}), 0x1p-14);
  EXPECT_EQ(to_double(Float16{0x0001}), 0x1p-24);
  EXPECT_EQ(to_double(Float16{0x03ff}), 0x1p-14 - 0x1p-24);
  EXPECT_EQ(to_double(Float16{0xfc00}), -infinity);
  EXPECT_TRUE(std::signbit(to_double(Float16{0x8000})));
}

TEST(BFloat16, ValuesAreTheUpperHalfOfAFloat) {
  EXPECT_EQ(to_double(BFloat16{0x3f80}), 1.0);
  EXPECT_EQ(to_double(BFloat16{0x7f7f}), 0x1.fep127);
  EXPECT_EQ(to_double(BFloat16{0x0001}), 0x1p-133);
  EXPECT_EQ(to_double(BFloat16{0x7f80}), infinity);
}

/// Checks every pair of neighbouring values. A value just below their midpoint must round down, and
/// one just above it must round up. The midpoint must round to the neighbour with even bits.
template <class Half, class Round>
void check_ties(std::uint16_t infinity_bits, Round round) {
  for (std::uint16_t bits = 0; bits + 1 < infinity_bits; ++bits) {
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const double middle = (to_double(Half{bits}) + to_double(Half{above})) / 2;
    ASSERT_EQ(round(std::nextafter(middle, 0.0)).bits, bits);
    ASSERT_EQ(round(std::nextafter(middle, infinity)).bits, above);
    ASSERT_EQ(round(middle).bits, bits % 2 == 0 ? bits : above);
    ASSERT_EQ(round(-middle).bits, 0x8000 | (bits % 2 == 0 ? bits : above));
  }
}

TEST(Float16, TiesGoToEven) { check_ties<Float16>(0x7c00, rounded<Float16>); }
TEST(BFloat16, TiesGoToEven) { check_ties<BFloat16>(0x7f80, rounded<BFloat16>); }

TEST(Float16, TooLargeBecomesInfinityAndTooSmallZero) {
  EXPECT_EQ(rounded<Float16>(65519.99).bits, 0x7bff);
  EXPECT_EQ(rounded<Float16>(65520.0).bits, 0x7c00);
  EXPECT_EQ(rounded<Float16>(-1e300).bits, 0xfc00);
  EXPECT_EQ(rounded<Float16>(infinity).bits, 0x7c00);
  EXPECT_EQ(rounded<Float16>(0x1p-25).bits, 0x0000);
  EXPECT_EQ(rounded<Float16>(-0x1p-200).bits, 0x8000);
  EXPECT_EQ(rounded<Float16>(std::numeric_limits<double>::denorm_min()).bits, 0x0000);
}

TEST(Float16, IsRoundedOnceAndNotThroughFloat) {
  // If this value were rounded to float first, it would become the midpoint between 1 and the next
  // larger Float16. The midpoint rounds to 1.
  EXPECT_EQ(rounded<Float16>(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
}

TEST(Float16, NanStaysNan) {
  EXPECT_TRUE(std::isnan(to_double(rounded<Float16>(std::nan("")))));
  EXPECT_TRUE(std::isnan(to_double(rounded<BFloat16>(std::nan("")))));
  // A signalling NaN. The only set bit of its payload is one that Float16 does not have. If this
  // bit were cut off, the value would be infinity.
  EXPECT_TRUE(std::isnan(to_double(rounded<Float16>(std::bit_cast<double>(0x7ff0000000000001)))));
}

}  // namespace
}  // namespace normbench::dtype_test
