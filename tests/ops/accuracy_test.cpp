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

TEST(Accuracy, UnitRoundoffIsHalfTheGapAboveOne) {
  for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32}) {
    const double u = unit_roundoff(dtype);
    EXPECT_EQ(stored_value(1 + 2 * u, dtype), 1 + 2 * u);
    EXPECT_EQ(stored_value(1 + u, dtype), 1);  // the tie goes to the even number
    EXPECT_EQ(stored_value(1 + 1.01 * u, dtype), 1 + 2 * u);
  }
  EXPECT_EQ(unit_roundoff(DType::UInt8), 0);
}

TEST(Stored, BoundsWhatRoundingDoesToEachValueAndNotMuchMore) {
  for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32})
    for (const double top : {1e-7, 1e-5, 0.3, 2.64, 200.0}) {
      double nearest = 0;
      for (int i = 1; i <= 20000; ++i) {
        const double value = top * i / 20000 * 0.9999;
        const double bound = stored({value, 0}, rounding_of(dtype)).error;
        const double error = std::abs(stored_value(value, dtype) - value);
        ASSERT_LE(error, bound) << name_of(dtype) << " " << value;
        nearest = std::max(nearest, error / bound);
      }
      EXPECT_GT(nearest, 0.9) << name_of(dtype) << " " << top;
    }
}

TEST(Stored, WholeNumbersThatFitAreExact) {
  const auto error = [](Estimate a, DType dtype, bool whole = false) {
    return stored(a, rounding_of(dtype), whole).error;
  };
  for (const double value : {0.0, -3.0, 255.0, 256.0})
    for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32})
      EXPECT_EQ(error({value, 0}, dtype), 0) << value;
  EXPECT_EQ(error({257, 0}, DType::Float16), 0);
  EXPECT_EQ(error({257, 0}, DType::BFloat16), 257.0 / 256);
  EXPECT_EQ(error({0.5, 0}, DType::BFloat16), 0.5 / 256);  // although bfloat16 holds 0.5 exactly
  // The computed value is from 199 to 201. Storing it as bfloat16 may add an error of 201 / 256,
  // unless it is known to be whole: bfloat16 holds every whole number up to 256.
  EXPECT_EQ(error({200, 1}, DType::BFloat16), 1 + 201.0 / 256);
  EXPECT_EQ(error({200, 1}, DType::BFloat16, true), 1);
}

TEST(Bytes, AreOpenOnlyAsFarAsTheErrorLeavesThem) {
  EXPECT_EQ(nearest_byte(100.5), 100);
  EXPECT_EQ(nearest_byte(101.5), 102);
  EXPECT_EQ(nearest_byte(-7), 0);
  EXPECT_EQ(nearest_byte(255.7), 255);
  EXPECT_EQ(as_byte({100.7, 0.1}).error, 0);
  EXPECT_EQ(as_byte({100.7, 0.3}).error, 1);
  EXPECT_EQ(as_byte({300, 1}).error, 0);
  EXPECT_EQ(byte_error({100.7, 0}, 100.7), 101 - 100.7);
  EXPECT_EQ(byte_error({255, 0.4}, 255), 0);
}

TEST(Computed, RoundsToFloat32AndThenToTheDtype) {
  const double in32 = 1.5 * 0x1p-24;
  EXPECT_EQ(Computed(DType::Float32)({1.5, 0}).error, in32);
  EXPECT_EQ(Computed(DType::Float16)({1.5, 0}).error, in32 + 0x1p-11 * (1.5 + in32));
}

TEST(Arithmetic, CountsWhatConstantsLoseInFloat32) {
  const Estimate a{3, 0.5};
  const auto expect = [](const Estimate& got, double value, double error) {
    EXPECT_DOUBLE_EQ(got.value, value);
    EXPECT_DOUBLE_EQ(got.error, error);
  };
  expect(minus(a, Constant(4)), -1, 0.5);
  expect(times(a, Constant(-2)), -6, 1);
  expect(over(a, Divisor(4)), 0.75, 0.125);
  const double lost = std::abs(static_cast<double>(0.1f) - 0.1);
  expect(minus(a, Constant(0.1)), 2.9, 0.5 + lost);
  expect(times(a, Constant(0.1)), 3 * 0.1, 0.5 * 0.1 + 3.5 * lost);
  expect(over(a, Divisor(0.1)), 30, 0.5 * 10 + 3.5 * std::abs(1 / static_cast<double>(0.1f) - 10));
  expect(product(a, {-2, 0.25}), -6, 3 * 0.25 + 2 * 0.5 + 0.5 * 0.25 + 0x1p-24 * 3.5 * 2.25);
}

}  // namespace
}  // namespace normbench::accuracy_test
