#include "ops/denormalize.h"

#include <cmath>
#include <limits>

#include "core/dtype.h"
#include "ops/op_testing.h"

namespace normbench::denormalize_test {
namespace {

using testing::ElementsAre;

const std::vector<double> mean{123.675, 116.28, 103.53}, deviation{58.395, 57.12, 57.375};
const Denormalize identity{.mean = {0.0}, .std = {1.0}};

double stored_as(double value, DType dtype) {
  return with_dtype(dtype, [&]<class T>(T) { return to_double(rounded<T>(value)); });
}

/// Returns an image with three channels, each of which has all 256 byte values.
Tensor64 all_bytes() {
  Tensor64 bytes{{1, 3, 16, 16}, {}};
  for (int i = 0; i < 3 * 256; ++i) bytes.values.push_back(i % 256);
  return bytes;
}

/// Returns all bytes after they were normalized, stored in `dtype` and denormalized.
Tensor64 there_and_back(const Normalize& normalize, DType dtype) {
  Tensor64 between = result(normalize, all_bytes());
  for (double& value : between.values) value = stored_as(value, dtype);
  return result(Denormalize{.mean = normalize.mean, .std = normalize.std, .scale = normalize.scale},
                between);
}

TEST(Denormalize, UndoesMeanStdAndScaleOfTheChannel) {
  const Tensor64 in{{2, 2, 1, 1}, {1, 2, 3, 4}};
  EXPECT_THAT(result(made<Denormalize>(R"({"mean": [1, 2], "std": [10, 20]})"), in).values,
              ElementsAre(11, 42, 31, 82));
  EXPECT_THAT(result(made<Denormalize>(R"({"mean": 5, "std": 3, "scale": 0.25})"), in).values,
              ElementsAre(32, 44, 56, 68));
}

TEST(Denormalize, RoundsToEvenSaturatesAndMakesNanZero) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor64 in{{1, 1, 1, 12},
                    {-infinity, -1e9, -0.5, 0.5, 1.5, 2.5, 2.51, 254.5, 255.5, 1e9, infinity, NAN}};
  EXPECT_THAT(result(identity, in).values, ElementsAre(0, 0, 0, 0, 2, 2, 3, 254, 255, 255, 255, 0));
}

TEST(Denormalize, GivesTheBytesBackThatWereNormalized) {
  Normalize scaled{.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}, .scale = 1 / 255.0};
  for (const Normalize& op : {Normalize{.mean = mean, .std = deviation}, scaled})
    for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16})
      EXPECT_EQ(there_and_back(op, dtype).values, all_bytes().values) << name_of(dtype);
}

/// From 2 on, neighbouring bfloat16 numbers are 1/64 apart or more. If the std is above 64,
/// neighbouring bytes are less than 1/64 apart after normalization, so some of them become equal.
TEST(Denormalize, CannotGiveThemBackWhereBfloat16HasTooFewNumbers) {
  const Normalize op{.mean = {100.0}, .std = {70.0}};
  EXPECT_NE(there_and_back(op, DType::BFloat16).values, all_bytes().values);
  EXPECT_EQ(there_and_back(op, DType::Float16).values, all_bytes().values);
}

TEST(Denormalize, MakesUint8AndTakesLayoutInTheSamePass) {
  const TensorDesc in = nchw(DType::Float16, {2, 3, 4, 5}, Memory::PageableHuge);
  EXPECT_THAT(identity.infer(std::vector{in}),
              ElementsAre(nchw(DType::UInt8, {2, 3, 4, 5}, Memory::PageableHuge)));
  EXPECT_THAT(
      made<Denormalize>(R"({"mean": 0, "std": 1, "layout": "nhwc"})").infer(std::vector{in}),
      ElementsAre(dense(DType::UInt8, Layout::Nhwc, {2, 3, 4, 5}, Memory::PageableHuge)));
}

TEST(Denormalize, SaysWhatDoesNotFit) {
  const TensorDesc in = nchw(DType::Float32, {2, 3, 4, 5});
  EXPECT_EQ(infer_error(identity, {nchw(DType::UInt8, {2, 3, 4, 5})}),
            "needs a floating-point input, got uint8 (cast first)");
  EXPECT_EQ(infer_error(Denormalize{.mean = {1, 2}, .std = {1}}, {in}),
            "2 means for 3 channels (give 1 or 3)");
  EXPECT_EQ(infer_error(Denormalize{.mean = {1}, .std = {1, 2}}, {in}),
            "2 stds for 3 channels (give 1 or 3)");
  EXPECT_EQ(infer_error(identity, {in, in}), "needs 1 input, got 2");
}

TEST(Denormalize, PointsAtMistakes) {
  EXPECT_THAT(mistakes("denormalize", R"({"mean": 0, "std": 0, "scale": 0})"),
              ElementsAre("/std: std must not be 0", "/scale: scale must not be 0"));
  EXPECT_THAT(mistakes("denormalize", R"({"mean": 0, "std": 1, "scale": 1e-39})"),
              ElementsAre("/scale: 1e-39 is too near to 0 for float32"));
  EXPECT_THAT(mistakes("denormalize", R"({"mean": 0, "std": 1, "dtype": "uint8"})"),
              ElementsAre("/dtype: unknown key \"dtype\" (known: mean, std, scale, layout)"));
  EXPECT_THAT(mistakes("denormalize", R"({"mean": 0, "std": 1, "layout": "nhcw"})"),
              ElementsAre("/layout: unknown value \"nhcw\" (did you mean \"nchw\"?)"));
}

/// Evaluates `denormalize` of one value in float32, without the final rounding, in all orders of
/// operations that a kernel may use. Returns the results.
std::vector<float> evaluations_back(float x, double scale, double m, double s) {
  const auto scale32 = static_cast<float>(scale), m32 = static_cast<float>(m);
  const auto s32 = static_cast<float>(s);
  const auto a = static_cast<float>(s / scale), b = static_cast<float>(m / scale);
  const float product = x * a, spread = x * s32;
  return {(spread + m32) / scale32, std::fma(x, s32, m32) / scale32, std::fma(x, a, b),
          product + b};
}

TEST(Denormalize, BoundHoldsInEveryOrder) {
  const Accuracy in{.low = -3, .high = 3};
  for (const double scale : {1.0, 1 / 255.0}) {
    Denormalize op{.mean = mean, .std = deviation, .scale = scale};
    for (double& m : op.mean) m *= scale;
    for (double& s : op.std) s *= scale;
    std::vector<float> values;
    for (float x = -3; x < 3; x += 0.0013f) values.push_back(x);
    Tensor64 x{{1, 3, 1, static_cast<std::int64_t>(values.size())}, {}};
    for (int c = 0; c < 3; ++c) x.values.insert(x.values.end(), values.begin(), values.end());
    const Tensor64 exact = result(op, x);
    const Accuracy bound = accuracy_of(op, x, in, nchw(DType::UInt8, x.shape));
    EXPECT_EQ(bound.low, 0);
    EXPECT_EQ(bound.high, 255);
    EXPECT_TRUE(bound.whole);
    std::size_t open = 0;  // values so near n + 1/2 that float32 may round either way
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      const std::size_t c = i / values.size();
      const double most = bound.errors.at(i);
      if (most > 0) ++open;
      for (const float y :
           evaluations_back(static_cast<float>(x.values[i]), scale, op.mean[c], op.std[c]))
        ASSERT_LE(std::abs(to_double(rounded<std::uint8_t>(y)) - exact.values[i]), most);
    }
    EXPECT_LT(open, exact.values.size() / 1000);
  }
}

}  // namespace
}  // namespace normbench::denormalize_test
