#include <gmock/gmock.h>

#include <cmath>

#include "backend/cuda/resize.cuh"
#include "backend/cuda_plain_testing.h"
#include "ops/resize.h"

namespace normbench::cuda::cuda_plain_resize_test {
namespace {

ResizeArguments arguments_of(const View& in, const View& out) {
  const bool planar = out.desc.layout == Layout::Nchw;
  const Shape &from = in.desc.shape, &to = out.desc.shape;
  return {.dtype = in.desc.dtype,
          .in = in.data,
          .out = out.data,
          .planes = planar ? to.n * to.c : to.n,
          .group = planar ? 1 : to.c,
          .from_height = from.h,
          .from_width = from.w,
          .to_height = to.h,
          .to_width = to.w,
          .in_height = from.h,
          .in_width = from.w,
          .out_height = to.h,
          .out_width = to.w,
          .in_plane = planar ? in.desc.strides.c : in.desc.strides.n,
          .out_plane = planar ? out.desc.strides.c : out.desc.strides.n};
}

/// An input shape and an output size. The last two need more than 1,000 taps for an output pixel.
struct Sizes {
  Shape from;
  std::int64_t height, width;
};
const std::vector<Sizes> sizes{
    {{1, 1, 1, 1}, 1, 1},   {{2, 3, 5, 7}, 11, 10},  {{2, 3, 17, 33}, 5, 9}, {{1, 4, 9, 8}, 9, 8},
    {{1, 3, 64, 5}, 1, 31}, {{1, 1, 3, 5003}, 2, 3}, {{1, 2, 2000, 3}, 2, 1}};

TEST(CudaResize, KeepsToTheReference) {
  for (const auto& [from, height, width] : sizes)
    for (const DType dtype : all_dtypes)
      for (const Layout layout : both_layouts)
        for (const int shift : {0, 1}) {
          const Op op = Resize{.height = height, .width = width};
          Guarded in(dense(dtype, layout, from, Memory::Device), shift);
          Guarded out(dense(dtype, layout, {from.n, from.c, height, width}, Memory::Device),
                      3 * shift);
          fill(in.view());
          with_resize_body(arguments_of(in.view(), out.view()),
                           [](const auto& body) { run_body(body); });
          ASSERT_EQ(mismatch(expected_of(op, in.view(), out.view().desc), out.view(),
                             bounds_of(op, in.view(), out.view().desc)),
                    std::nullopt)
              << describe(in.view().desc) << " -> " << height << "x" << width;
          ASSERT_TRUE(out.guards_intact());
        }
}

/// Returns the weights that the CUDA code computes for `taps`, as a vector. normbench::Taps stores
/// its weights in such a vector, so the tests can compare both.
std::vector<double> weights_of(const Taps& taps) {
  std::vector<double> weights;
  for (std::int32_t k = 0; k < taps.count; ++k) weights.push_back(taps.weight(k));
  return weights;
}

/// Returns the first output pixel whose taps differ from those of triangle_filter() by more than a
/// few roundings, or nothing.
std::optional<std::int64_t> wrong_taps(std::int64_t from, std::int64_t to) {
  const Axis axis = Axis::of(from, to, from);
  const auto filter = triangle_filter(from, to);
  for (std::int64_t i = 0; i < to; ++i) {
    const normbench::Taps& expected = filter[static_cast<std::size_t>(i)];
    const Taps taps = axis.taps(i);
    const auto weights = weights_of(taps);
    for (std::int64_t p = 0; p < from; ++p) {
      const auto at = [&](std::int64_t first, const std::vector<double>& all) {
        const bool inside = p >= first && p < first + static_cast<std::int64_t>(all.size());
        return inside ? all[static_cast<std::size_t>(p - first)] : 0.0;
      };
      const double right = at(expected.first, expected.weights), got = at(taps.first, weights);
      if (!(std::abs(got - right) <= 4 * 0x1p-24 * right + 1e-12)) return i;
    }
  }
  return std::nullopt;
}

TEST(CudaResize, HasTheTapsOfTheTriangleFilter) {
  for (std::int64_t from = 1; from <= 24; ++from)
    for (std::int64_t to = 1; to <= 24; ++to)
      EXPECT_EQ(wrong_taps(from, to), std::nullopt) << from << " -> " << to;
  for (const auto& [from, to] : {std::pair{720, 224}, {1280, 224}, {224, 1280}, {4096, 5}})
    EXPECT_EQ(wrong_taps(from, to), std::nullopt) << from << " -> " << to;
}

TEST(CudaResize, CountsTapsOfTheLargestExtents) {
  const std::int64_t most = resize_extent_limit - 1;
  const Taps up = Axis::of(3, most, 3).taps(most - 1);  // at the end of the output
  EXPECT_EQ(up.first + up.count, 3);
  EXPECT_FLOAT_EQ(up.weight(up.count - 1), 1);
  const Taps same = Axis::of(most, most, most).taps(most / 2);
  EXPECT_EQ(same.first, most / 2);
  EXPECT_THAT(weights_of(same), testing::ElementsAre(1, 0));
  const Taps down = Axis::of(most, most / 2, most).taps(1);  // centre just above 3, reach just above 2
  EXPECT_EQ(down.first, 1);
  EXPECT_EQ(down.count, 4);
  EXPECT_THAT(weights_of(down),
              testing::Pointwise(testing::DoubleNear(1e-6), {0.125, 0.375, 0.375, 0.125}));
}

TEST(CudaResize, SumsAnyNumberOfTermsWithinAFewRoundings) {
  const auto tenth = [](std::int32_t) { return 0.1f; };
  for (const std::int32_t count : {1, 16, 17, 1000, 1000003}) {
    const double exact = static_cast<double>(0.1f) * count;
    EXPECT_NEAR(sum_of(count, tenth), exact, 20 * 0x1p-24 * exact) << count;
  }
  EXPECT_EQ(sum_of(0, tenth), 0.0f);
}

TEST(CudaResize, KeepsAConstantImage) {
  Guarded in(dense(DType::UInt8, Layout::Nhwc, {1, 3, 37, 41}, Memory::Device));
  std::ranges::fill(std::span(in.view().data, 37 * 41 * 3), std::byte{201});
  Guarded out(dense(DType::UInt8, Layout::Nhwc, {1, 3, 10, 90}, Memory::Device));
  with_resize_body(arguments_of(in.view(), out.view()), [](const auto& body) { run_body(body); });
  EXPECT_THAT(out.payload(), testing::Each(std::byte{201}));
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_resize_test
