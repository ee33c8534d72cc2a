#include <gmock/gmock.h>

#include "backend/cuda_fused_testing.h"

namespace normbench::cuda::cuda_move_test {
namespace {

std::vector<Op> moves(const Shape& s) {
  const Window middle{.height = (s.h + 1) / 2, .width = (s.w + 2) / 3, .top = {}, .left = {}};
  const Window last_row{.height = 1, .width = s.w, .top = s.h - 1, .left = 0};
  return {LayoutOp{.to = Layout::Nchw},     LayoutOp{.to = Layout::Nhwc},
          FlipOp{.axis = Flip::Horizontal}, FlipOp{.axis = Flip::Vertical},
          FlipOp{.axis = Flip::Both},       Crop{.window = middle},
          Crop{.window = last_row}};
}

class FusedMove : public testing::TestWithParam<DType> {};

TEST_P(FusedMove, MovesEveryElement) {
  for (const Shape& shape : fused_shapes)
    for (const Layout layout : both_layouts)
      for (const Op& op : moves(shape))
        for (const FusedSetting& setting : fused_settings) {
          const TensorDesc in = dense(GetParam(), layout, shape, Memory::Device);
          ASSERT_EQ(fault_of(op, in, setting), std::nullopt)
              << describe(in) << ", " << name_of(op) << ", " << setting;
        }
}

TEST_P(FusedMove, TakesEveryAlignmentOfBothSides) {
  const TensorDesc in = dense(GetParam(), Layout::Nhwc, {1, 3, 4, 20}, Memory::Device);
  for (const Op& op : moves(in.shape))
    for (std::int64_t shift = 0; shift < 256; ++shift) {
      const FusedSetting setting{shift % 16, shift / 16, shift % 2};
      ASSERT_EQ(fault_of(op, in, setting), std::nullopt) << name_of(op) << ", " << setting;
    }
}

INSTANTIATE_TEST_SUITE_P(Cuda, FusedMove, testing::ValuesIn(all_dtypes),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace normbench::cuda::cuda_move_test
