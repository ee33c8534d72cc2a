#include "ops/resize.h"

#include <cmath>

#include "ops/op_testing.h"

namespace normbench::resize_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

TEST(TriangleFilter, Halves) {
  const auto filter = triangle_filter(4, 2);
  ASSERT_EQ(filter.size(), 2u);
  // The first output pixel has its centre at 1, and the triangle's half-width is 2. The distances
  // from this centre to the input pixels 0, 1 and 2 are 0.5, 0.5 and 1.5.
  EXPECT_EQ(filter[0].first, 0);
  EXPECT_THAT(filter[0].weights, Pointwise(testing::DoubleEq(), {3 / 7.0, 3 / 7.0, 1 / 7.0}));
  EXPECT_EQ(filter[1].first, 1);
  EXPECT_THAT(filter[1].weights, Pointwise(testing::DoubleEq(), {1 / 7.0, 3 / 7.0, 3 / 7.0}));
}

TEST(TriangleFilter, WeightsSumToOneInsideTheImage) {
  for (const std::int64_t from : {1, 2, 3, 7, 100, 1280})
    for (const std::int64_t to : {1, 2, 5, 224})
      for (const Taps& taps : triangle_filter(from, to)) {
        double sum = 0;
        for (const double weight : taps.weights) sum += weight;
        EXPECT_NEAR(sum, 1, 1e-14);
        EXPECT_GE(taps.first, 0);
        EXPECT_LE(taps.first + static_cast<std::int64_t>(taps.weights.size()), from);
      }
}

TEST(BoxFilter, TakesTheMeanOfWhatAPixelCovers) {
  const auto filter = box_filter(5, 2);
  ASSERT_EQ(filter.size(), 2u);
  EXPECT_EQ(filter[0].first, 0);
  EXPECT_THAT(filter[0].weights, Pointwise(DoubleNear(1e-15), {0.4, 0.4, 0.2}));
  EXPECT_EQ(filter[1].first, 2);
  EXPECT_THAT(filter[1].weights, Pointwise(DoubleNear(1e-15), {0.2, 0.4, 0.4}));
}

TEST(BoxFilter, IsTheTriangleWhereTheImageGrows) {
  const auto box = box_filter(3, 7), triangle = triangle_filter(3, 7);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(box[i].first, triangle[i].first);
    EXPECT_EQ(box[i].weights, triangle[i].weights);
  }
}

TEST(BoxFilter, WeightsSumToOneInsideTheImage) {
  for (const std::int64_t from : {1, 2, 3, 7, 100, 1280})
    for (const std::int64_t to : {1, 2, 5, 6, 49, 224})
      for (const Taps& taps : box_filter(from, to)) {
        double sum = 0;
        for (const double weight : taps.weights) {
          EXPECT_GE(weight, 0);
          sum += weight;
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_GE(taps.first, 0);
        EXPECT_LE(taps.first + static_cast<std::int64_t>(taps.weights.size()), from);
      }
}

TEST(BoxFilter, EachAxisShrinksOrGrowsForItself) {
  const Tensor64 in{{1, 1, 4, 1}, {7, 14, 21, 28}};
  EXPECT_THAT(resized(in, 2, 3, ResizeFilter::Box).values,
              Pointwise(DoubleNear(1e-12), {10.5, 10.5, 10.5, 24.5, 24.5, 24.5}));
}

TEST(LinearFilter, MixesTheTwoPixelsAroundACentreHoweverMuchAnAxisShrinks) {
  const Tensor64 in{{1, 1, 1, 6}, {0, 8, 16, 80, 24, 32}};
  EXPECT_THAT(resized(in, 1, 2, ResizeFilter::Linear).values,
              Pointwise(DoubleNear(1e-12), {8.0, 24.0}));
  EXPECT_THAT(resized(in, 1, 3, ResizeFilter::Linear).values,
              Pointwise(DoubleNear(1e-12), {4.0, 48.0, 28.0}));
  const Tensor64 grown{{1, 1, 1, 2}, {0, 8}};
  EXPECT_THAT(resized(grown, 2, 4, ResizeFilter::Linear).values,
              Pointwise(DoubleNear(1e-12), {0.0, 2.0, 6.0, 8.0, 0.0, 2.0, 6.0, 8.0}));
}

TEST(Resize, InterpolatesAtHalfPixelCentres) {
  const Tensor64 in{{1, 1, 1, 2}, {0, 8}};
  EXPECT_THAT(result(made<Resize>(R"({"size": [1, 4]})"), in).values, ElementsAre(0, 2, 6, 8));
}

TEST(Resize, AveragesWhenItShrinks) {
  const Tensor64 in{{1, 1, 1, 4}, {7, 14, 21, 28}};
  EXPECT_THAT(result(Resize{1, 2}, in).values, Pointwise(DoubleNear(1e-12), {12.0, 23.0}));
}

TEST(Resize, WorksOnRowsAndColumnsOfEveryPlane) {
  const Tensor64 in{{1, 2, 2, 2}, {0, 8, 16, 24, 1, 1, 1, 1}};
  const Tensor64 out = result(Resize{4, 1}, in);
  EXPECT_EQ(out.shape, (Shape{1, 2, 4, 1}));
  EXPECT_THAT(out.values, ElementsAre(4, 8, 16, 20, 1, 1, 1, 1));
}

TEST(Resize, ToTheSameSizeIsTheIdentity) {
  const Tensor64 in{{1, 1, 2, 2}, {3, 1, 4, 1}};
  EXPECT_EQ(result(Resize{2, 2}, in).values, in.values);
}

TEST(Resize, KeepsDtypeLayoutAndMemory) {
  const TensorDesc in = dense(DType::UInt8, Layout::Nhwc, {2, 3, 40, 50}, Memory::PageableHuge);
  EXPECT_THAT((Resize{8, 9}.infer(std::vector{in})),
              ElementsAre(dense(DType::UInt8, Layout::Nhwc, {2, 3, 8, 9}, Memory::PageableHuge)));
}

TEST(Resize, PointsAtMistakes) {
  EXPECT_THAT(mistakes("resize", "{}"), ElementsAre(": no \"size\" ([height, width])"));
  EXPECT_THAT(mistakes("resize", R"({"size": 224})"),
              ElementsAre("/size: must be 2 whole numbers, [height, width]"));
  EXPECT_THAT(mistakes("resize", R"({"size": [224, -1]})"),
              ElementsAre("/size/1: must be from 1 to 2147483647, got -1"));
  EXPECT_EQ(infer_error(Resize{1 << 30, 1 << 30}, {nchw(DType::Float32, {4, 3, 2, 2})}),
            "shape overflows: 4x3x1073741824x1073741824 float32 (must be under 2^62 bytes)");
}

/// Resizes one axis in float32 as a kernel would. Each weight is rounded once. The products are
/// added up in one long sum.
std::vector<float> resized32(const std::vector<float>& in, std::int64_t to) {
  std::vector<float> out;
  for (const Taps& taps : triangle_filter(static_cast<std::int64_t>(in.size()), to)) {
    float sum = 0;
    for (std::size_t k = 0; k < taps.weights.size(); ++k)
      sum += static_cast<float>(taps.weights[k]) * in[static_cast<std::size_t>(taps.first) + k];
    out.push_back(sum);
  }
  return out;
}

TEST(Resize, BoundHoldsInFloat32) {
  std::vector<float> row;
  for (int i = 0; i < 5000; ++i) row.push_back(static_cast<float>(i * 7919 % 256));
  const Accuracy a{.low = 0, .high = 255, .whole = true};
  for (const std::int64_t to : {157, 224, 1000, 4999, 9001}) {
    const Tensor64 in{{1, 1, 1, 5000}, {row.begin(), row.end()}};
    const auto exact = result(Resize{1, to}, in).values;
    const auto inexact = resized32(row, to);
    const auto bounds = [&](DType dtype) {
      return accuracy_of(Resize{1, to}, in, a, nchw(dtype, {1, 1, 1, to})).errors;
    };
    const Errors float32 = bounds(DType::Float32), uint8 = bounds(DType::UInt8);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_LE(std::abs(inexact[i] - exact[i]), float32.at(i)) << to;
      ASSERT_LE(std::abs(std::nearbyint(inexact[i]) - exact[i]), uint8.at(i)) << to;
    }
    EXPECT_LE(uint8.largest(), 0.5 + byte_resize_error);
    EXPECT_LE(float32.largest(), 1e-5 * 255);  // a wrong pixel has a far larger error
  }
}

TEST(Resize, BoundsAreOfThePixelsNearby) {
  const Tensor64 in{{1, 1, 1, 8}, {0, 0, 0, 0, 1000, 1000, 1000, 1000}};
  const Errors bounds =
      accuracy_of(Resize{1, 4}, in, {.high = 1000}, nchw(DType::Float32, {1, 1, 1, 4})).errors;
  EXPECT_EQ(bounds.at(0), 0);
  EXPECT_GT(bounds.at(3), 0);
  std::vector<double> given(8);
  given[7] = 1;  // only the last output pixel uses this input pixel
  const Accuracy known{.high = 1000, .errors = given};
  const Errors moved =
      accuracy_of(Resize{1, 4}, in, known, nchw(DType::Float32, {1, 1, 1, 4})).errors;
  EXPECT_EQ(moved.at(2), bounds.at(2));
  EXPECT_GT(moved.at(3), 0.3);
}

}  // namespace
}  // namespace normbench::resize_test
