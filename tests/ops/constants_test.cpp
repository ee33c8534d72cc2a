/// Ops with per-channel constants: sub, div, normalize.
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

/// The largest distance between `inexact` and `exact` over all bytes and channels.
template <class Inexact, class Exact>
double worst_of(Inexact inexact, Exact exact) {
  double worst = 0;
  for (std::size_t c = 0; c < mean.size(); ++c)
    for (int x = 0; x < 256; ++x)
      worst = std::max(worst, std::abs(inexact(static_cast<float>(x), c) - exact(x, c)));
  return worst;
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

TEST(SubDiv, BoundHoldsOverAllBytesAndIsTight) {
  for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16}) {
    const std::vector<TensorDesc> out{nchw(dtype, {1, 3, 1, 256})};
    const Accuracy sub = Sub{.mean = mean}.accuracy(std::vector{bytes}, out);
    const auto centred = [&](float x, std::size_t c) {
      return kept(x - static_cast<float>(mean[c]), dtype);
    };
    double worst = worst_of(centred, [](double x, std::size_t c) { return x - mean[c]; });
    EXPECT_LE(worst, sub.error) << name_of(dtype);
    EXPECT_LE(sub.error, 4 * worst) << name_of(dtype);
    EXPECT_EQ(sub.low, -123.675);
    EXPECT_EQ(sub.high, 255 - 103.53);

    const Accuracy div = Div{.std = deviation}.accuracy(std::vector{sub}, out);
    worst = worst_of(
        [&](float x, std::size_t c) {
          return kept(static_cast<float>(centred(x, c)) / static_cast<float>(deviation[c]), dtype);
        },
        [](double x, std::size_t c) { return (x - mean[c]) / deviation[c]; });
    EXPECT_LE(worst, div.error) << name_of(dtype);
    EXPECT_LE(div.error, 4 * worst) << name_of(dtype);
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

/// Every order in which a kernel may evaluate normalize in float32, for one value.
std::vector<float> evaluations(float x, double scale, double m, double s) {
  const auto scale32 = static_cast<float>(scale), m32 = static_cast<float>(m);
  const auto s32 = static_cast<float>(s);
  const auto a = static_cast<float>(scale / s), b = static_cast<float>(-m / s);
  const float product = x * a, scaled = x * scale32;
  return {(scaled - m32) / s32, std::fma(x, scale32, -m32) / s32, std::fma(x, a, b), product + b};
}

TEST(Normalize, BoundHoldsOverAllBytesInEveryOrderAndIsTight) {
  for (const double scale : {1.0, 1 / 255.0})
    for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16}) {
      Normalize op{.mean = mean, .std = deviation, .to = dtype, .scale = scale};
      for (double& m : op.mean) m *= scale;
      for (double& s : op.std) s *= scale;
      const Accuracy bound =
          op.accuracy(std::vector{bytes}, std::vector{nchw(dtype, {1, 3, 1, 256})});
      double worst = 0;
      for (std::size_t c = 0; c < 3; ++c)
        for (int x = 0; x < 256; ++x) {
          const double exact = (x * scale - op.mean[c]) / op.std[c];
          EXPECT_LE(bound.low, exact);
          EXPECT_GE(bound.high, exact);
          for (const float y : evaluations(static_cast<float>(x), scale, op.mean[c], op.std[c]))
            worst = std::max(worst, std::abs(kept(y, dtype) - exact));
        }
      EXPECT_LE(worst, bound.error) << name_of(dtype) << " scale " << scale;
      EXPECT_LE(bound.error, 4 * worst) << name_of(dtype) << " scale " << scale;
    }
}

TEST(Normalize, BoundCatchesAWrongChannel) {
  const Normalize op{.mean = mean, .std = deviation};
  const Accuracy bound =
      op.accuracy(std::vector{bytes}, std::vector{nchw(DType::BFloat16, {1, 3, 1, 256})});
  const double error =
      worst_of([](float x, std::size_t c) { return (x - mean[c]) / deviation[(c + 1) % 3]; },
               [](double x, std::size_t c) { return (x - mean[c]) / deviation[c]; });
  EXPECT_GT(error, bound.error);
}

}  // namespace
}  // namespace normbench::constants_test
