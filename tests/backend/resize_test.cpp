#include <gtest/gtest.h>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"

namespace normbench::resize_test {
namespace {

struct Sizes {
  std::string name;
  DType dtype;
  Layout layout;
  Shape from;
  std::int64_t height, width;
};

const std::vector<Sizes> kSizes{
    {"PixelsPastABlock", DType::UInt8, Layout::Nhwc, {1, 3, 45, 1031}, 17, 233},
    {"PlanesPastABlock", DType::UInt8, Layout::Nchw, {2, 3, 37, 1025}, 12, 311},
    {"PixelsPastAStrip", DType::UInt8, Layout::Nhwc, {1, 3, 23, 1501}, 9, 301},
    {"PlanesPastAStrip", DType::UInt8, Layout::Nchw, {2, 1, 9, 9001}, 4, 100},
    {"FloatsPastAStrip", DType::Float16, Layout::Nchw, {1, 1, 9, 4099}, 4, 1000},
    {"AlmostTheSameSize", DType::UInt8, Layout::Nchw, {1, 1, 40, 70}, 39, 69},
    {"SameSize", DType::UInt8, Layout::Nhwc, {1, 3, 20, 33}, 20, 33},
    {"ThreeTimesLarger", DType::Float32, Layout::Nhwc, {1, 4, 23, 301}, 69, 903},
    {"TwiceLargerAndOne", DType::Float16, Layout::Nchw, {1, 1, 19, 600}, 39, 1201},
    {"AThird", DType::BFloat16, Layout::Nhwc, {1, 5, 100, 130}, 33, 43},
    {"OneAxisEach", DType::Float32, Layout::Nchw, {1, 2, 64, 50}, 64, 20},
    {"OtherAxis", DType::UInt8, Layout::Nhwc, {1, 3, 50, 64}, 20, 64},
    {"WideToTwoPixels", DType::Float32, Layout::Nhwc, {1, 3, 5, 4000}, 3, 2},
    {"TallToOneRow", DType::Float32, Layout::Nchw, {1, 1, 3000, 21}, 1, 7},
    {"PixelsOfManyChannels", DType::Float16, Layout::Nhwc, {1, 200, 7, 11}, 5, 4},
    {"OnePixelToMany", DType::UInt8, Layout::Nhwc, {1, 3, 1, 1}, 70, 65},
};

class Resizes : public testing::TestWithParam<std::tuple<Sizes, std::string>> {};

TEST_P(Resizes, KeepToTheReferenceWhateverTheTeam) {
  const auto& [sizes, target] = GetParam();
  const ForcedSimd forced(target);
  const Op op = Resize{.height = sizes.height, .width = sizes.width};
  const TensorDesc from = dense(sizes.dtype, sizes.layout, sizes.from, Memory::Pageable);
  const auto to = infer(op, std::span(&from, 1));
  Guarded in(from, 1);
  fill(in.view());
  std::vector<std::byte> first;
  for (const int threads : {1, 2, 3}) {
    Guarded out(to[0], 3);
    launch(cpu_row("resize", "separable"), op, in.view(), out.view(), threads);
    EXPECT_TRUE(out.guards_intact());
    if (first.empty()) {
      first = out.payload();
      EXPECT_EQ(
          mismatch(expected_of(op, in.view(), to[0]), out.view(), bounds_of(op, in.view(), to[0])),
          std::nullopt);
    }
    EXPECT_TRUE(out.payload() == first) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, Resizes, testing::Combine(testing::ValuesIn(kSizes), testing::ValuesIn(simd_targets())),
    [](const auto& info) { return std::get<0>(info.param).name + "_" + std::get<1>(info.param); });

}  // namespace
}  // namespace normbench::resize_test
