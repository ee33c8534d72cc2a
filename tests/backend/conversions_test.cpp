#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"
#include "core/dtype.h"
#include "measure/selftest/rows.h"

namespace normbench::conversions_test {
namespace {

/// Casts `values` of type `From` with the CPU kernel "simd".
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

/// Returns the values of `dtype` that are hard to round or to widen.
template <class T>
std::vector<T> hard_values(DType dtype) {
  const std::vector<std::byte> bytes = selftest::hard_elements(dtype, 1);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Conversions : public testing::TestWithParam<std::string> {
 protected:
  ForcedSimd forced_{GetParam()};
};

TEST_P(Conversions, HalvesBecomeTheFloatsTheyAre) {
  const auto halves = hard_values<Float16>(DType::Float16);
  const auto floats = cast_all<Float16, float>(halves, DType::Float16, DType::Float32);
  const auto brains = hard_values<BFloat16>(DType::BFloat16);
  const auto wide = cast_all<BFloat16, float>(brains, DType::BFloat16, DType::Float32);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const double half = to_double(halves[i]), brain = to_double(brains[i]);
    ASSERT_TRUE(floats[i] == half || (std::isnan(half) && std::isnan(floats[i]))) << i;
    ASSERT_EQ(std::signbit(floats[i]), std::signbit(half)) << i;
    ASSERT_TRUE(wide[i] == brain || (std::isnan(brain) && std::isnan(wide[i]))) << i;
    ASSERT_EQ(std::signbit(wide[i]), std::signbit(brain)) << i;
  }
}

TEST_P(Conversions, FloatsRoundToTheNearestEvenHalf) {
  const auto values = hard_values<float>(DType::Float32);
  const auto halves = cast_all<float, Float16>(values, DType::Float32, DType::Float16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(to_double(halves[i]))) << i;
    } else {
      ASSERT_EQ(halves[i].bits, rounded<Float16>(values[i]).bits) << values[i];
    }
  }
}

TEST_P(Conversions, FloatsRoundToTheNearestEvenBrainFloat) {
  const auto values = hard_values<float>(DType::Float32);
  const auto brains = cast_all<float, BFloat16>(values, DType::Float32, DType::BFloat16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(to_double(brains[i]))) << i;
    } else {
      ASSERT_EQ(brains[i].bits, rounded<BFloat16>(values[i]).bits) << values[i];
    }
  }
}

TEST_P(Conversions, BytesSaturateAndRoundToEven) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> some{-1,     -infinity, 0.5f,  1.5f,     2.5f, 254.5f,
                                255.4f, 256,       1e30f, infinity, NAN,  -0.4f};
  const std::vector<std::uint8_t> right{0, 0, 0, 2, 2, 254, 255, 255, 255, 255, 0, 0};
  std::vector<float> values;
  std::vector<std::uint8_t> expected;
  for (int i = 0; i < 40; ++i) {  // more than one vector of bytes
    values.insert(values.end(), some.begin(), some.end());
    expected.insert(expected.end(), right.begin(), right.end());
  }
  EXPECT_EQ((cast_all<float, std::uint8_t>(values, DType::Float32, DType::UInt8)), expected);
}

/// Runs the CPU kernel `row` of normalize on an input whose element i is i * 7 % 256, so that all
/// values from 0 to 255 occur. Returns the elements of the output, which has dtype `to`.
template <class T>
std::vector<T> normalized(Normalize op, DType to, const TensorDesc& desc, std::string_view row) {
  op.to = to;
  TensorDesc out_desc = infer(op, std::span(&desc, 1))[0];
  Guarded in(desc), out(out_desc, 1);
  Tensor64 values{.shape = desc.shape, .values = {}};
  for (std::int64_t i = 0; i < desc.elements(); ++i)
    values.values.push_back(static_cast<double>(i * 7 % 256));
  from_double(values, in.view(), 0);
  launch(cpu_row("normalize", row), op, in.view(), out.view(), 1);
  const auto* first = reinterpret_cast<const T*>(out.view().data);
  return {first, first + desc.elements()};
}

// Some of these constants give float32 results that are infinite, NaN or subnormal. Others give
// such results only after rounding to float16.
TEST_P(Conversions, NormalizeRoundsItsFloat32ToTheNearestEven) {
  const std::vector<std::pair<double, double>> constants{
      {0, 1}, {123.675, 58.395}, {0, 1e-40}, {5, 1e-40}, {100, 1e41}, {100, 3e6}, {0, 1e-3}};
  for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
    for (const auto& dtype : words(DType{}))
      for (const auto& [mean, std] : constants)
        for (const std::string_view row : {"fused_temporal", "fused_nt"}) {
          const TensorDesc desc = dense(dtype.value, layout, {1, 3, 7, 61}, Memory::Pageable);
          const Normalize op{.mean = {mean}, .std = {std}};
          const auto floats = normalized<float>(op, DType::Float32, desc, row);
          const auto halves = normalized<Float16>(op, DType::Float16, desc, row);
          const auto brains = normalized<BFloat16>(op, DType::BFloat16, desc, row);
          for (std::size_t i = 0; i < floats.size(); ++i) {
            const double half = to_double(halves[i]), brain = to_double(brains[i]);
            if (std::isnan(floats[i])) {
              ASSERT_TRUE(std::isnan(half) && std::isnan(brain)) << describe(desc) << " " << std;
              continue;
            }
            ASSERT_EQ(halves[i].bits, rounded<Float16>(floats[i]).bits) << describe(desc) << " " << std;
            ASSERT_EQ(brains[i].bits, rounded<BFloat16>(floats[i]).bits) << describe(desc) << " " << std;
          }
        }
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

INSTANTIATE_TEST_SUITE_P(Cpu, Conversions, testing::ValuesIn(simd_targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace normbench::conversions_test
