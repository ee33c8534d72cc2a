#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "backend/instruction_sets.h"
#include "backend/kernel_testing.h"
#include "core/half.h"

namespace normbench {
namespace {

/// Casts a row of values stored as `From` through the row `simd`.
template <class From, class To>
std::vector<To> cast_all(std::vector<From> values, DType from, DType to) {
  const Shape shape{1, 1, 1, static_cast<std::int64_t>(values.size())};
  std::vector<To> result(values.size());
  const View in{reinterpret_cast<std::byte*>(values.data()),
                dense(from, Layout::Nchw, shape, Memory::Pageable)};
  const View out{reinterpret_cast<std::byte*>(result.data()),
                 dense(to, Layout::Nchw, shape, Memory::Pageable)};
  launch(cpu_row("cast", "simd"), Cast{.to = to}, in, out, 1);
  return result;
}

template <class T>
std::vector<T> all_patterns() {
  std::vector<T> values;
  for (std::uint32_t bits = 0; bits < 65536; ++bits)
    values.push_back({static_cast<std::uint16_t>(bits)});
  return values;
}

/// Float values around every 16-bit float, halfway between neighbours and beside that.
template <class T>
std::vector<float> near_patterns() {
  std::vector<float> values;
  for (const T pattern : all_patterns<T>()) {
    const auto value = static_cast<float>(to_double(pattern));
    const auto next =
        static_cast<float>(to_double(T{static_cast<std::uint16_t>(pattern.bits + 1)}));
    const float middle = value / 2 + next / 2;
    for (const float v :
         {value, middle, std::nextafter(middle, value), std::nextafter(middle, next)})
      values.push_back(v);
  }
  for (const float v : {65519.0f, 65520.0f, 1e30f, -1e30f, std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::denorm_min(), -0.0f})
    values.push_back(v);
  // A NaN whose payload lies in the bits that are cut off must not become an infinity.
  values.push_back(std::bit_cast<float>(0x7F800001u));
  values.push_back(std::bit_cast<float>(0xFF800001u));
  return values;
}

class Conversions : public testing::TestWithParam<std::int64_t> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

TEST_P(Conversions, HalvesBecomeTheFloatsTheyAre) {
  const auto halves = all_patterns<Float16>();
  const auto floats = cast_all<Float16, float>(halves, DType::Float16, DType::Float32);
  const auto brains = all_patterns<BFloat16>();
  const auto wide = cast_all<BFloat16, float>(brains, DType::BFloat16, DType::Float32);
  for (std::size_t i = 0; i < 65536; ++i) {
    const double half = to_double(halves[i]), brain = to_double(brains[i]);
    ASSERT_TRUE(floats[i] == half || (std::isnan(half) && std::isnan(floats[i]))) << i;
    ASSERT_EQ(std::signbit(floats[i]), std::signbit(half)) << i;
    ASSERT_TRUE(wide[i] == brain || (std::isnan(brain) && std::isnan(wide[i]))) << i;
    ASSERT_EQ(std::signbit(wide[i]), std::signbit(brain)) << i;
  }
}

TEST_P(Conversions, FloatsRoundToTheNearestEvenHalf) {
  const auto values = near_patterns<Float16>();
  const auto halves = cast_all<float, Float16>(values, DType::Float32, DType::Float16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(to_double(halves[i]))) << i;
    } else {
      ASSERT_EQ(halves[i].bits, to_float16(values[i]).bits) << values[i];
    }
  }
}

TEST_P(Conversions, FloatsRoundToTheNearestEvenBrainFloat) {
  const auto values = near_patterns<BFloat16>();
  const auto brains = cast_all<float, BFloat16>(values, DType::Float32, DType::BFloat16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(to_double(brains[i]))) << i;
    } else {
      ASSERT_EQ(brains[i].bits, to_bfloat16(values[i]).bits) << values[i];
    }
  }
}

TEST_P(Conversions, BytesSaturateAndRoundToEven) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{-1,     -infinity, 0.5f,  1.5f,     2.5f, 254.5f,
                                  255.4f, 256,       1e30f, infinity, NAN,  -0.4f};
  EXPECT_EQ((cast_all<float, std::uint8_t>(values, DType::Float32, DType::UInt8)),
            (std::vector<std::uint8_t>{0, 0, 0, 2, 2, 254, 255, 255, 255, 255, 0, 0}));
}

TEST_P(Conversions, SubAndDivWorkInPlace) {
  const TensorDesc desc = dense(DType::Float32, Layout::Nhwc, {2, 3, 9, 11}, Memory::Pageable);
  for (const Op& op : {Op(Sub{.mean = {1, 2, 3}}), Op(Div{.std = {1, 2, 3}})}) {
    Guarded apart(desc), from(desc), same(desc);
    fill(from.view());
    fill(same.view());
    launch(cpu_row(name_of(op), "simd"), op, from.view(), apart.view(), 2);
    launch(cpu_row(name_of(op), "simd"), op, same.view(), same.view(), 2);
    EXPECT_TRUE(same.payload() == apart.payload());
    EXPECT_TRUE(same.guards_intact());
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conversions, testing::ValuesIn(instruction_sets()),
                         [](const auto& info) { return hwy::TargetName(info.param); });

}  // namespace
}  // namespace normbench
