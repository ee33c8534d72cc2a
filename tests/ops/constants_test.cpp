/// Tests of the ops with constants per channel: `sub`, `div`, `normalize`.
#include <cmath>

#include "core/dtype.h"
#include "ops/op_testing.h"

namespace normbench::constants_test {
namespace {

using testing::ElementsAre;

const std::vector<double> mean{123.675, 116.28, 103.53}, deviation{58.395, 57.12, 57.375};
const Accuracy bytes{.low = 0, .high = 255, .whole = true};

double kept(float value, DType dtype) {
  if (dtype == DType::Float16) return to_double(rounded<Float16>(value));
  if (dtype == DType::BFloat16) return to_double(rounded<BFloat16>(value));
  return value;
}

/// Returns an image with three channels, each of which has all 256 byte values.
Tensor64 all_bytes() {
  Tensor64 all{{1, 3, 1, 256}, {}};
  for (int i = 0; i < 3 * 256; ++i) all.values.push_back(i % 256);
  return all;
}

/// Checks results against exact values. `computed(i)` returns several results for element i. The
/// error of each of them must be at most the bound of the element. The bounds must also be tight:
/// some error exceeds half of its bound, and the sum of the bounds is below 8 times the sum of the
/// elements' largest errors.
template <class Computed>
void expect_tight(const Errors& bounds, const Tensor64& exact, Computed computed) {
  double nearest = 0, errors = 0, allowed = 0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    double worst = 0;
    for (const double value : computed(i))
      worst = std::max(worst, std::abs(value - exact.values[i]));
    ASSERT_LE(worst, bounds.at(i)) << i;
    if (worst > 0) nearest = std::max(nearest, worst / bounds.at(i));
    errors += worst;
    allowed += bounds.at(i);
  }
  EXPECT_GT(nearest, 0.5);
  EXPECT_LT(allowed, 8 * errors);
}

TEST(Sub, SubtractsTheChannelsMean) {
  const Tensor64 in{{2, 2, 1, 1}, {10, 20, 30, 40}};
  EXPECT_THAT(result(made<Sub>(R"({"mean": [1, 2]})"), in).values, ElementsAre(9, 18, 29, 38));
  EXPECT_THAT(result(made<Sub>(R"({"mean": 5})"), in).values, ElementsAre(5, 15, 25, 35));
}

TEST(Div, DividesByTheChannelsDeviation) {
  const Tensor64 in{{2, 2, 1, 1}, {10, 20, 30, 40}};
  EXPECT_THAT(result(made<Div>(R"({"std": [2, 4]})"), in).values, ElementsAre(5, 5, 15, 10));
  EXPECT_EQ(made<Div>(R"({"std": [2], "constants": "per_call"})").constants, Constants::PerCall);
}

TEST(SubDiv, KeepEverythingOfTheInput) {
  const TensorDesc in = dense(DType::BFloat16, Layout::Nhwc, {2, 3, 4, 5}, Memory::Device);
  EXPECT_THAT(Sub{.mean = mean}.infer(std::vector{in}), ElementsAre(in));
  EXPECT_THAT(Div{.std = deviation}.infer(std::vector{in}), ElementsAre(in));
}

TEST(SubDiv, SayWhatDoesNotFit) {
  const TensorDesc in = nchw(DType::Float32, {2, 3, 4, 5});
  EXPECT_EQ(infer_error(Sub{.mean = {1, 2}}, {in}), "2 means for 3 channels (give 1 or 3)");
  EXPECT_EQ(infer_error(Div{.std = {1, 2}}, {in}), "2 stds for 3 channels (give 1 or 3)");
  EXPECT_EQ(infer_error(Sub{.mean = {1, 2}}, {nchw(DType::Float32, {2, 1, 4, 5})}),
            "2 means for 1 channel (give 1)");
  EXPECT_EQ(infer_error(Sub{.mean = {1}}, {nchw(DType::UInt8, {2, 3, 4, 5})}),
            "needs a floating-point input, got uint8 (cast first)");
  EXPECT_EQ(infer_error(Div{.std = {1}}, {in, in}), "needs 1 input, got 2");
}

TEST(SubDiv, PointAtMistakes) {
  EXPECT_THAT(mistakes("sub", "{}"),
              ElementsAre(": needs \"mean\" (an array of 1 number, or of 1 per channel)"));
  EXPECT_THAT(mistakes("sub", R"({"mean": []})"),
              ElementsAre("/mean: is empty (give 1 number, or 1 per channel)"));
  EXPECT_THAT(mistakes("sub", R"({"mean": [1, "x"]})"),
              ElementsAre("/mean/1: expected a number, got \"x\""));
  EXPECT_THAT(mistakes("sub", R"({"mean": [1e39]})"),
              ElementsAre("/mean/0: 1e+39 does not fit float32"));
  EXPECT_THAT(mistakes("div", R"({"std": [1, 0, 1]})"), ElementsAre("/std/1: std must not be 0"));
  EXPECT_THAT(mistakes("div", R"({"std": [1e-40]})"),
              ElementsAre("/std/0: 1e-40 is too near to 0 for float32"));
}

TEST(SubDiv, BoundsHoldOverAllBytesAndAreTight) {
  for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16}) {
    const TensorDesc out = nchw(dtype, {1, 3, 1, 256});
    const Tensor64 x = all_bytes(), exact = result(Sub{.mean = mean}, x);
    const Accuracy sub = accuracy_of(Sub{.mean = mean}, x, bytes, out);
    const auto centred = [&](float value, std::size_t c) {
      return kept(value - static_cast<float>(mean[c]), dtype);
    };
    expect_tight(sub.errors, exact, [&](std::size_t i) {
      return std::vector{centred(static_cast<float>(x.values[i]), i / 256)};
    });
    EXPECT_EQ(sub.low, -123.675);
    EXPECT_EQ(sub.high, 255 - 103.53);

    const Op op = Div{.std = deviation};
    expect_tight(accuracy_of(op, exact, sub, out).errors, result(op, exact), [&](std::size_t i) {
      const double value = centred(static_cast<float>(x.values[i]), i / 256);
      return std::vector{
          kept(static_cast<float>(value) / static_cast<float>(deviation[i / 256]), dtype)};
    });
  }
}

TEST(Normalize, ScalesSubtractsAndDivides) {
  const Tensor64 in{{1, 2, 1, 2}, {10, 20, 30, 40}};
  EXPECT_THAT(
      result(made<Normalize>(R"({"mean": [1, 2], "std": [2, 4], "scale": 0.5})"), in).values,
      ElementsAre(2, 4.5, 3.25, 4.5));
}

TEST(Normalize, MirrorsTheWindow) {
  const Tensor64 in{{1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  const auto op = made<Normalize>(
      R"({"mean": 0, "std": 1, "flip": "horizontal", "crop": {"size": [1, 2], "at": [1, 0]}})");
  const Tensor64 out = result(op, in);
  EXPECT_EQ(out.shape, (Shape{1, 1, 1, 2}));
  EXPECT_THAT(out.values, ElementsAre(5, 4));
}

TEST(Normalize, DescribesItsOutput) {
  const TensorDesc in = dense(DType::UInt8, Layout::Nhwc, {2, 3, 40, 50}, Memory::PageableHuge);
  EXPECT_THAT(
      made<Normalize>(R"({"mean": 0, "std": 1})").infer(std::vector{in}),
      ElementsAre(dense(DType::Float32, Layout::Nhwc, {2, 3, 40, 50}, Memory::PageableHuge)));
  EXPECT_THAT(
      made<Normalize>(
          R"({"mean": 0, "std": 1, "dtype": "float16", "layout": "nchw", "crop": {"size": [8, 9]}})")
          .infer(std::vector{in}),
      ElementsAre(nchw(DType::Float16, {2, 3, 8, 9}, Memory::PageableHuge)));
}

TEST(Normalize, SaysWhatDoesNotFit) {
  const TensorDesc in = nchw(DType::UInt8, {2, 3, 40, 50});
  EXPECT_EQ(infer_error(Normalize{.mean = {1, 2}, .std = {1}}, {in}),
            "2 means for 3 channels (give 1 or 3)");
  EXPECT_EQ(infer_error(Normalize{.mean = {1}, .std = {1, 2}}, {in}),
            "2 stds for 3 channels (give 1 or 3)");
  EXPECT_EQ(
      infer_error(made<Normalize>(R"({"mean": 0, "std": 1, "crop": {"size": [41, 9]}})"), {in}),
      "window 41x9 does not fit in 40x50");
  EXPECT_EQ(infer_error(made<Normalize>(R"({"mean": 0, "std": 1, "crop": [
                {"size": [2, 2]}, {"size": [2, 2], "at": [9, 9]}]})"),
                        {nchw(DType::UInt8, {1, 1, 10, 10})}),
            "window 2x2 at [9, 9] does not fit in 10x10");
}

TEST(Normalize, TakesWindowsOneAfterTheOtherOfAllImages) {
  const Tensor64 in{{2, 1, 2, 3}, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}};
  const auto op = made<Normalize>(
      R"({"mean": 0, "std": 1, "flip": "horizontal",
          "crop": [{"size": [1, 2], "at": [1, 1]}, {"size": [1, 2], "at": [0, 0]}]})");
  std::vector<Tensor64> out{{.shape = {4, 1, 1, 2}, .values = {}}};
  reference(op, std::vector{in}, out, 0);
  EXPECT_THAT(out[0].values, ElementsAre(6, 5, 60, 50, 2, 1, 20, 10));
  EXPECT_THAT(op.infer(std::vector{nchw(DType::UInt8, {2, 1, 2, 3})}),
              ElementsAre(nchw(DType::Float32, {4, 1, 1, 2})));
}

TEST(Normalize, PointsAtMistakes) {
  EXPECT_THAT(
      mistakes("normalize", R"({"mean": 0, "std": 0, "dtype": "uint8"})"),
      ElementsAre("/std: std must not be 0", "/dtype: normalize writes a float dtype, not uint8"));
  EXPECT_THAT(mistakes("normalize", R"({"mean": 0, "std": 1, "crop": {"sise": [1, 1]}})"),
              ElementsAre("/crop: no \"size\" ([height, width])",
                          "/crop/sise: unknown key \"sise\" (did you mean \"size\"?)"));
  EXPECT_THAT(mistakes("normalize", R"({"mean": 0, "std": 1, "crop": 5})"),
              ElementsAre("/crop: expected an object, got 5"));
  EXPECT_THAT(mistakes("normalize", R"({"mean": 0, "std": 1, "crop": []})"),
              ElementsAre("/crop: needs 1 to 64 windows, got 0"));
  EXPECT_THAT(mistakes("normalize", R"({"mean": 0, "std": 1, "crop": [
                  {"size": [4, 5]}, 7, {"size": [4, 6]}, {"sise": 1}]})"),
              ElementsAre("/crop/1: expected an object, got 7",
                          "/crop/2/size: 4x6 is not the first window's size, 4x5",
                          "/crop/3: no \"size\" ([height, width])",
                          "/crop/3/sise: unknown key \"sise\" (did you mean \"size\"?)"));
  EXPECT_THAT(mistakes("normalize", R"({"mean": 0, "std": 1, "layout": "nhcw"})"),
              ElementsAre("/layout: unknown value \"nhcw\" (did you mean \"nchw\"?)"));
}

/// Evaluates `normalize` of one value in float32 in all orders of operations that a kernel may use.
/// Returns the results.
std::vector<float> evaluations(float x, double scale, double m, double s) {
  const auto scale32 = static_cast<float>(scale), m32 = static_cast<float>(m);
  const auto s32 = static_cast<float>(s);
  const auto a = static_cast<float>(scale / s), b = static_cast<float>(-m / s);
  const float product = x * a, scaled = x * scale32;
  return {(scaled - m32) / s32, std::fma(x, scale32, -m32) / s32, std::fma(x, a, b), product + b};
}

TEST(Normalize, BoundsHoldOverAllBytesInEveryOrderAndAreTight) {
  for (const double scale : {1.0, 1 / 255.0})
    for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16}) {
      Normalize op{.mean = mean, .std = deviation, .to = dtype, .scale = scale};
      for (double& m : op.mean) m *= scale;
      for (double& s : op.std) s *= scale;
      const Tensor64 x = all_bytes(), exact = result(op, x);
      const Accuracy found = accuracy_of(op, x, bytes, nchw(dtype, x.shape));
      EXPECT_NEAR(found.low, std::ranges::min(exact.values), 1e-12);
      EXPECT_NEAR(found.high, std::ranges::max(exact.values), 1e-12);
      expect_tight(found.errors, exact, [&](std::size_t i) {
        std::vector<double> all;
        for (const float y :
             evaluations(static_cast<float>(x.values[i]), scale, op.mean[i / 256], op.std[i / 256]))
          all.push_back(kept(y, dtype));
        return all;
      });
    }
}

TEST(Normalize, BoundsAreOfTheChannelAndTheValue) {
  const Tensor64 x{{1, 2, 1, 3}, {0, 128, 255, 0, 128, 255}};
  const Normalize op{.mean = {128, 0}, .std = {64, 1}, .to = DType::BFloat16};
  const Errors errors = accuracy_of(op, x, bytes, nchw(DType::BFloat16, x.shape)).errors;
  EXPECT_EQ(errors.at(1), 0);                                     // the value is the mean
  for (const int i : {3, 4, 5}) EXPECT_EQ(errors.at(i), 0) << i;  // mean 0 and std 1
  EXPECT_GT(errors.at(2), 0);
  EXPECT_LT(errors.at(2), 0.01);
}

TEST(Normalize, BoundsAreWhereTheirPixelsAre) {
  const Tensor64 x{{1, 1, 2, 2}, {3, 0, 128, 201}};
  const Normalize op{.mean = {0.1}, .std = {1}};
  const auto errors = [&](const Normalize& one) {
    return accuracy_of(
               one, x, bytes,
               nchw(DType::Float32, one.infer(std::vector{nchw(DType::UInt8, x.shape)})[0].shape))
        .errors;
  };
  const Errors plain = errors(op);
  Normalize flipped = op, cropped = op;
  flipped.flip = Flip::Both;
  cropped.crop = {{.height = 1, .width = 1, .top = 1, .left = 0}, {.height = 1, .width = 1}};
  EXPECT_EQ(errors(flipped),
            Errors(std::vector{plain.at(3), plain.at(2), plain.at(1), plain.at(0)}));
  EXPECT_EQ(errors(cropped), Errors(std::vector{plain.at(2), plain.at(0)}));
}

}  // namespace
}  // namespace normbench::constants_test
