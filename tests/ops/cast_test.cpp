#include "ops/cast.h"

#include "ops/op_testing.h"

namespace normbench::cast_test {
namespace {

using testing::ElementsAre;

TEST(Cast, ChangesTheDtypeOnly) {
  const TensorDesc in = dense(DType::UInt8, Layout::Nhwc, {2, 3, 4, 5}, Memory::Device);
  EXPECT_THAT(made<Cast>(R"({"to": "bfloat16"})").infer(std::vector{in}),
              ElementsAre(dense(DType::BFloat16, Layout::Nhwc, {2, 3, 4, 5}, Memory::Device)));
}

TEST(Cast, ToUint8RoundsToEvenAndSaturates) {
  const Tensor64 in{{1, 1, 1, 9}, {-1e9, -0.5, 0.5, 1.5, 2.5, 2.51, 254.5, 255.5, NAN}};
  EXPECT_THAT(result(Cast{.to = DType::UInt8}, in).values,
              ElementsAre(0, 0, 0, 2, 2, 3, 254, 255, 0));
}

TEST(Cast, ToFloatKeepsTheExactValue) {
  const Tensor64 in{{1, 1, 1, 2}, {0.1, 1e9}};
  EXPECT_THAT(result(Cast{.to = DType::Float16}, in).values, ElementsAre(0.1, 1e9));
}

TEST(Cast, ErrorIsOfTheRounding) {
  const auto after = [](std::vector<double> values, const Accuracy& known, DType to) {
    const Tensor64 in{{1, 1, 1, static_cast<std::int64_t>(values.size())}, std::move(values)};
    return accuracy_of(Cast{to}, in, known, nchw(to, in.shape));
  };
  using Each = std::vector<double>;
  const Accuracy bytes{.low = 0, .high = 255, .whole = true};
  for (const DType to : {DType::BFloat16, DType::UInt8})
    EXPECT_EQ(after({0, 200, 255}, bytes, to),
              (Accuracy{.low = 0, .high = 255, .errors = Each{0, 0, 0}, .whole = true}));
  EXPECT_EQ(after({1, 0.3, -0.5}, {.low = -1, .high = 1}, DType::Float16).errors,
            Errors(Each{0, 0.3 * 0x1p-11, 0.5 * 0x1p-11}));
  // The exact and the computed value are both rounded. If the exact value is close to the middle of
  // two whole numbers, a small error can therefore change the rounded value by 1.
  EXPECT_EQ(after({-0.4, 1.7}, {.low = -0.4, .high = 1.7}, DType::UInt8),
            (Accuracy{.low = 0, .high = 2, .errors = Each{0, 0}, .whole = true}));
  EXPECT_EQ(after({9.6, 9.9}, {.high = 9.9, .errors = 0.25}, DType::UInt8).errors,
            Errors(Each{1, 0}));
  EXPECT_EQ(after({9.6, 300, -2}, {.high = 300, .errors = 1.25}, DType::UInt8).errors,
            Errors(Each{2, 0, 0}));
}

TEST(Cast, PointsAtMistakes) {
  EXPECT_THAT(mistakes("cast", "{}"), ElementsAre(": needs \"to\" (" + known_words<DType>() + ")"));
  EXPECT_THAT(mistakes("cast", R"({"to": "float61"})"),
              ElementsAre("/to: unknown value \"float61\" (did you mean \"float16\"?)"));
  EXPECT_EQ(infer_error(Cast{}, {}), "needs 1 input, got 0");
  EXPECT_EQ(
      infer_error(Cast{.to = DType::Float32}, {nchw(DType::UInt8, {1, 1, 1 << 30, 1LL << 31})}),
      "shape overflows: 1x1x1073741824x2147483648 float32 (must be under 2^62 bytes)");
}

}  // namespace
}  // namespace normbench::cast_test
