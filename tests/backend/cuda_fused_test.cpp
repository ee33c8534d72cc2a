#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "backend/cuda/fused.cuh"
#include "backend/cuda_fused_testing.h"
#include "measure/selftest/cases.h"

namespace normbench::cuda::cuda_fused_test {
namespace {

std::vector<Op> moves(const Shape& shape) {
  std::vector<Op> ops;
  for (const std::string_view op : {LayoutOp::name, FlipOp::name, Crop::name})
    std::ranges::copy(samples(op, shape), std::back_inserter(ops));
  return ops;
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

/// Returns the normalizations in samples() (the ops that the self-test runs) whose output has the
/// dtype `to`.
std::vector<Normalize> normalizations_to(DType to, const Shape& shape) {
  std::vector<Normalize> ops;
  for (const Op& op : samples(Normalize::name, shape))
    if (const auto& one = std::get<Normalize>(op); one.to == to) ops.push_back(one);
  return ops;
}

class FusedNormalize : public testing::TestWithParam<std::tuple<DType, DType>> {};

TEST_P(FusedNormalize, KeepsToTheReference) {
  const auto [from, to] = GetParam();
  for (const Shape& shape : fused_shapes)
    for (const Layout layout : both_layouts)
      for (const Normalize& op : normalizations_to(to, shape))
        for (const FusedSetting& setting : fused_settings) {
          const TensorDesc in = dense(from, layout, shape, Memory::Device);
          ASSERT_EQ(fault_of(op, in, setting), std::nullopt)
              << describe(in) << " -> " << describe(op.infer(std::span(&in, 1))[0]) << ", "
              << setting;
        }
}

TEST_P(FusedNormalize, TakesEveryAlignmentOfBothSides) {
  const auto [from, to] = GetParam();
  const Shape shape{1, 3, 4, 20};  // planes of a multiple of 16 bytes
  for (const Layout layout : both_layouts)
    for (const Layout out : both_layouts)
      for (std::int64_t shift = 0; shift < 256; ++shift) {
        const Normalize op{.mean = {1, 2, 3}, .std = {4, 5, 6}, .to = to, .layout = out};
        const TensorDesc in = dense(from, layout, shape, Memory::Device);
        const FusedSetting setting{shift % 16, shift / 16, shift % 2};
        ASSERT_EQ(fault_of(op, in, setting), std::nullopt) << describe(in) << ", " << setting;
      }
}

TEST_P(FusedNormalize, WorksInPlaceWhereElementsAreOfOneSize) {
  const auto [from, to] = GetParam();
  if (size_of(from) != size_of(to)) return;
  const Normalize op{.mean = {1, 2, 3}, .std = {4, 5, 6}, .to = to};
  for (const Layout layout : both_layouts)
    for (const std::int64_t shift : {0, 1, 3}) {
      const TensorDesc desc = dense(from, layout, {2, 3, 9, 131}, Memory::Device);
      Guarded in(desc, shift), apart(op.infer(std::span(&desc, 1))[0], shift);
      fill(in.view());
      on_host(op, in.view(), apart.view(), 0);
      const View same{in.view().data, apart.view().desc};
      on_host(op, in.view(), same, 0);
      EXPECT_TRUE(in.payload() == apart.payload());
      EXPECT_TRUE(in.guards_intact());
    }
}

INSTANTIATE_TEST_SUITE_P(Cuda, FusedNormalize,
                         testing::Combine(testing::ValuesIn(all_dtypes),
                                          testing::Values(DType::Float32, DType::Float16,
                                                          DType::BFloat16)),
                         [](const auto& info) {
                           return std::string(name_of(std::get<0>(info.param))) + "_to_" +
                                  std::string(name_of(std::get<1>(info.param)));
                         });

TEST(FusedNormalize, TakesConstantsThatWereSent) {
  const Normalize op{.mean = {1, 2, 3}, .std = {4, 5, 6}, .layout = Layout::Nchw};
  for (const Layout layout : both_layouts)
    for (const Shape& shape : {Shape{2, 3, 5, 7}, Shape{2, 3, 65, 64}}) {
      const TensorDesc desc = dense(DType::UInt8, layout, shape, Memory::Device);
      Guarded in(desc), by_value(op.infer(std::span(&desc, 1))[0]), sent(by_value.view().desc);
      fill(in.view());
      on_host(op, in.view(), by_value.view(), 0);
      NormalizeArguments with_table, arguments;
      set_constants(op, 3, with_table);
      arguments.task = task_of(op, Portion{in.view(), sent.view()});
      arguments.sent_a = with_table.a;
      arguments.sent_b = with_table.b;
      with_normalize<float>(arguments, [](const auto& body) { run_body(body); });
      EXPECT_TRUE(sent.payload() == by_value.payload());
    }
}

TEST(FusedNormalize, HoldsTheConstantsOfAChannel) {
  NormalizeArguments arguments;
  set_constants(Normalize{.mean = {10, 20}, .std = {2, 4}, .scale = 0.5}, 2, arguments);
  EXPECT_EQ(arguments.a[0], 0.25f);
  EXPECT_EQ(arguments.b[0], -5.0f);
  EXPECT_EQ(arguments.a[1], 0.125f);
  EXPECT_EQ(arguments.b[1], -5.0f);
  EXPECT_THROW(set_constants(Normalize{.mean = {0}, .std = {0}}, 1, arguments), std::runtime_error);
}

class FusedDenormalize : public testing::TestWithParam<DType> {};

TEST_P(FusedDenormalize, KeepsToTheReference) {
  for (const Shape& shape : fused_shapes)
    for (const Layout layout : both_layouts)
      for (const Op& op : samples(Denormalize::name, shape))
        for (const FusedSetting& setting : fused_settings) {
          const TensorDesc in = dense(GetParam(), layout, shape, Memory::Device);
          ASSERT_EQ(fault_of(op, in, setting), std::nullopt) << describe(in) << ", " << setting;
        }
}

TEST_P(FusedDenormalize, TakesEveryAlignmentOfBothSides) {
  const Shape shape{1, 3, 4, 20};  // planes of a multiple of 16 bytes
  for (const Layout layout : both_layouts)
    for (const Layout out : both_layouts)
      for (std::int64_t shift = 0; shift < 256; ++shift) {
        const Denormalize op{.mean = {1, 2, 3}, .std = {0.4, 0.5, 0.6}, .layout = out};
        const TensorDesc in = dense(GetParam(), layout, shape, Memory::Device);
        const FusedSetting setting{shift % 16, shift / 16, shift % 2};
        ASSERT_EQ(fault_of(op, in, setting), std::nullopt) << describe(in) << ", " << setting;
      }
}

/// Each channel of the input has all 256 values. The images of the first shape consist of whole
/// slots (vectors of 16 bytes). The images of the second shape do not.
TEST_P(FusedDenormalize, GivesTheBytesBackThatWereNormalized) {
  const std::vector<double> mean{123.675, 116.28, 103.53}, deviation{58.395, 57.12, 57.375};
  for (const Layout layout : both_layouts)
    for (const Layout between : both_layouts)
      for (const Shape& shape : {Shape{2, 3, 16, 48}, Shape{1, 3, 13, 23}}) {
        const Normalize there{.mean = mean, .std = deviation, .to = GetParam(), .layout = between};
        const Denormalize back{.mean = mean, .std = deviation, .layout = layout};
        const TensorDesc desc = dense(DType::UInt8, layout, shape, Memory::Device);
        Guarded in(desc), floats(there.infer(std::span(&desc, 1))[0]), out(desc);
        for (std::int64_t i = 0; i < desc.elements(); ++i)
          in.view().data[i] = static_cast<std::byte>(i * 7);
        on_host(there, in.view(), floats.view(), 0);
        on_host(back, floats.view(), out.view(), 0);
        EXPECT_TRUE(out.payload() == in.payload()) << name_of(layout);
      }
}

/// Every kernel body must round halves to the even number, clamp to 0 to 255, and turn NaN into 0.
TEST_P(FusedDenormalize, RoundsToEvenSaturatesAndMakesNanZero) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> some{-infinity, -1000, -0.5, 0.5, 1.5, 2.5,
                                 254.5,     256,   3000, NAN, 127, infinity};
  for (const Layout layout : both_layouts)
    for (const Layout to : both_layouts)
      for (const std::int64_t shift : {0, 1}) {
        const Denormalize op{.mean = {0.0}, .std = {1.0}, .layout = to};
        const TensorDesc desc = dense(GetParam(), layout, {1, 3, 8, 24}, Memory::Device);
        Guarded in(desc, shift), out(op.infer(std::span(&desc, 1))[0], shift);
        Tensor64 values{.shape = desc.shape, .values = {}};
        for (std::int64_t i = 0; i < desc.elements(); ++i)
          values.values.push_back(some[static_cast<std::size_t>(i) % some.size()]);
        from_double(values, in.view(), 0);
        on_host(op, in.view(), out.view(), 0);
        EXPECT_EQ(mismatch(expected_of(op, in.view(), out.view().desc), out.view(), 0),
                  std::nullopt);
      }
}

INSTANTIATE_TEST_SUITE_P(Cuda, FusedDenormalize,
                         testing::Values(DType::Float32, DType::Float16, DType::BFloat16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(FusedDenormalize, HoldsTheConstantsOfAChannel) {
  NormalizeArguments arguments;
  set_constants(Denormalize{.mean = {10, 20}, .std = {2, 4}, .scale = 0.5}, 2, arguments);
  EXPECT_EQ(arguments.a[0], 4.0f);
  EXPECT_EQ(arguments.b[0], 20.0f);
  EXPECT_EQ(arguments.a[1], 8.0f);
  EXPECT_EQ(arguments.b[1], 40.0f);
}

/// A single launch handles all windows if the batch has one image and the distance in memory from
/// each window to the next is the same and not negative. That is so for one image and the first
/// list of windows. In all other cases each window needs its own launch.
TEST(FusedNormalize, TakesWindowsAsCropsThatAreConcatenated) {
  const auto at = [](std::int64_t top, std::int64_t left) {
    return Window{.height = 8, .width = 24, .top = top, .left = left};
  };
  for (const std::int64_t images : {1, 2})
    for (const std::vector<Window>& windows :
         {std::vector{at(0, 0), at(12, 24)}, std::vector{at(1, 1), at(9, 30), at(0, 0)}})
      for (const Layout from : both_layouts)
        for (const Layout to : both_layouts) {
          Normalize op{.mean = {1, 2, 3}, .std = {4, 5, 6}, .layout = to, .crop = windows};
          const TensorDesc desc = dense(DType::UInt8, from, {images, 3, 20, 64}, Memory::Device);
          Guarded in(desc), at_once(op.infer(std::span(&desc, 1))[0]);
          fill(in.view());
          on_host(op, in.view(), at_once.view(), 0);
          std::vector<Guarded> crops;
          std::vector<View> cut;
          for (const Window& window : windows) {
            crops.emplace_back(Crop{window}.infer(std::span(&desc, 1))[0]);
            on_host(Crop{window}, in.view(), crops.back().view(), 0);
          }
          std::vector<TensorDesc> descs;
          for (Guarded& crop : crops) {
            cut.push_back(crop.view());
            descs.push_back(crop.view().desc);
          }
          Guarded batch(infer(Concat{}, descs)[0]);
          for (const Portion& portion : portions_of(Concat{}, cut, batch.view()))
            with_move(task_of(Concat{}, portion), [](const auto& body) { run_body(body); });
          op.crop = {};
          Guarded in_steps(at_once.view().desc);
          on_host(op, batch.view(), in_steps.view(), 0);
          ASSERT_TRUE(at_once.payload() == in_steps.payload())
              << images << " of " << windows.size() << ", " << name_of(from) << " to "
              << name_of(to);
          ASSERT_TRUE(at_once.guards_intact() && batch.guards_intact());
        }
}

/// A function that a fused kernel applies to each element. It counts its calls. Only the kernel
/// body under test calls it.
struct Counted {
  static inline std::int64_t applied = 0;
  NoConstant at(std::int64_t) const { return {}; }
  template <class Use>
  void choose(Use use) const {
    use(*this);
  }
  static std::uint16_t apply(std::uint8_t x, NoConstant) {
    ++applied;
    return static_cast<std::uint16_t>(x + 256);
  }
};

TEST(Fused, ChangesEachElementOnce) {
  const Shape shape{2, 3, 66, 64};
  for (const Layout from : both_layouts)
    for (const Layout to : both_layouts)
      for (const auto& [shift, enough] : {std::pair{1, 0}, {1, 1 << 18}, {0, 0}})
        for (const Flip flip : {Flip::None, Flip::Horizontal}) {
          Guarded in(dense(DType::UInt8, from, shape, Memory::Device), shift);
          Guarded out(dense(DType::Float16, to, shape, Memory::Device), 2 * shift);
          fill(in.view());
          const FusedTask task{
              .in = flip_view(in.view(), flip), .out = out.view(), .enough_threads = enough};
          Counted::applied = 0;
          with_body<std::uint8_t, std::uint16_t>(task, Counted{},
                                                 [](const auto& body) { run_body(body); });
          EXPECT_EQ(Counted::applied, shape.elements());
        }
}

}  // namespace
}  // namespace normbench::cuda::cuda_fused_test
