#include "ops/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/dtype.h"

namespace normbench::accuracy_test {
namespace {

double stored_value(double value, DType dtype) {
  return with_dtype(dtype,
                    [&](auto element) { return to_double(rounded<decltype(element)>(value)); });
}

TEST(Accuracy, MagnitudeIsOfComputedValues) {
  EXPECT_EQ((Accuracy{.low = -3, .high = 2, .error = 0.5}.magnitude()), 3.5);
  EXPECT_EQ((Accuracy{.low = -1, .high = 2, .error = 0.5}.magnitude()), 2.5);
}

TEST(Accuracy, UnitRoundoffIsHalfTheGapAboveOne) {
  for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32}) {
    const double u = unit_roundoff(dtype);
    EXPECT_EQ(stored_value(1 + 2 * u, dtype), 1 + 2 * u);
    EXPECT_EQ(stored_value(1 + u, dtype), 1);  // the tie goes to even
    EXPECT_EQ(stored_value(1 + 1.01 * u, dtype), 1 + 2 * u);
  }
  EXPECT_EQ(unit_roundoff(DType::UInt8), 0);
}

TEST(Stored, BoundsWhatRoundingDoesAndNotMuchMore) {
  for (const DType dtype : {DType::UInt8, DType::Float16, DType::BFloat16, DType::Float32})
    for (const double top : {1e-7, 1e-5, 0.3, 2.64, 200.0}) {
      const double bound = stored({.low = -top, .high = top}, dtype).error;
      double worst = 0;
      for (int i = 0; i <= 20000; ++i) {
        const double value = top * i / 20000 * 0.9999;
        worst = std::max(worst, std::abs(stored_value(value, dtype) - value));
      }
      EXPECT_LE(worst, bound) << name_of(dtype) << " " << top;
      if (dtype != DType::UInt8 || top >= 0.5) {
        EXPECT_LE(bound, 2.5 * worst) << name_of(dtype) << " " << top;
      }
    }
}

TEST(Stored, WholeNumbersThatFitAreExact) {
  const Accuracy bytes{.low = 0, .high = 255, .whole = true};
  for (const DType dtype : {DType::UInt8, DType::Float16, DType::BFloat16, DType::Float32})
    EXPECT_EQ(stored(bytes, dtype), bytes) << name_of(dtype);
  const Accuracy larger{.low = 0, .high = 257, .whole = true};
  EXPECT_EQ(stored(larger, DType::Float16), larger);
  EXPECT_EQ(stored(larger, DType::BFloat16),
            (Accuracy{.low = 0, .high = 257, .error = 257.0 / 256}));
}

TEST(Stored, ToUint8Clamps) {
  EXPECT_EQ(stored({.low = -4, .high = 300, .error = 0.25}, DType::UInt8),
            (Accuracy{.low = 0, .high = 255, .error = 0.75}));
}

TEST(Computed, RoundsToFloat32AndThenToTheDtype) {
  const Accuracy a{.low = 0, .high = 2};
  EXPECT_EQ(computed(a, DType::Float32).error, 0x1p-23);
  EXPECT_EQ(computed(a, DType::Float16).error, 0x1p-23 + 0x1p-11 * (2 + 0x1p-23));
}

TEST(Arithmetic, CountsWhatConstantsLoseInFloat32) {
  const Accuracy a{.low = 1, .high = 3, .error = 0.5, .whole = true};
  EXPECT_EQ(minus(a, 4), (Accuracy{.low = -3, .high = -1, .error = 0.5}));
  EXPECT_EQ(times(a, -2), (Accuracy{.low = -6, .high = -2, .error = 1}));
  EXPECT_EQ(over(a, 4), (Accuracy{.low = 0.25, .high = 0.75, .error = 0.125}));
  const double lost = std::abs(static_cast<double>(0.1f) - 0.1);
  EXPECT_EQ(minus(a, 0.1).error, 0.5 + lost);
  EXPECT_EQ(times(a, 0.1).error, 0.5 * 0.1 + 3.5 * lost);
  EXPECT_EQ(over(a, 0.1).error, 0.5 * 10 + 3.5 * std::abs(1 / static_cast<double>(0.1f) - 10));
}

TEST(Hull, HoldsBoth) {
  EXPECT_EQ(hull({.low = -1, .high = 2, .error = 3, .whole = true}, {.low = 0, .high = 5}),
            (Accuracy{.low = -1, .high = 5, .error = 3}));
}

}  // namespace
}  // namespace normbench::accuracy_test
