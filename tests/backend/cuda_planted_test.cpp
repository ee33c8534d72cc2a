/// Tests that the tests of fused kernels find bugs. Each test here plants one bug.
#include <gmock/gmock.h>

#include "backend/cuda/fused.cuh"
#include "backend/cuda_fused_testing.h"
#include "backend/fenced.h"

namespace normbench::cuda::cuda_planted_test {
namespace {

using testing::HasSubstr;
using testing::Optional;

const Normalize kOp{.mean = {1, 2, 3}, .std = {4, 5, 6}};
const TensorDesc kIn = dense(DType::UInt8, Layout::Nchw, {2, 3, 5, 7}, Memory::Device);

/// Returns a function that runs a normalization, but first changes its kernel body with `spoil`.
/// The test fails if the body is not of the type that `spoil` takes.
template <class Spoil>
OnHost with_bug(Spoil spoil) {
  return [spoil](const Op& op, const View& in, const View& out, std::int64_t enough_threads) {
    const auto& normalize = std::get<Normalize>(op);
    NormalizeArguments arguments;
    arguments.task = task_of(normalize, portions_of(normalize, std::span(&in, 1), out).at(0));
    arguments.task.enough_threads = enough_threads;
    set_constants(normalize, out.desc.shape.c, arguments);
    with_normalize<float>(arguments, [&](auto body) {
      if constexpr (std::is_invocable_v<Spoil, decltype(body)&>)
        spoil(body);
      else
        ADD_FAILURE() << "another body than the bug is for";
      run_body(body);
    });
  };
}

TEST(PlantedBug, NoneIsSeenWhereThereIsNone) {
  EXPECT_EQ(fault_of(kOp, kIn, {1, 1}, with_bug([](auto&) {})), std::nullopt);
}

TEST(PlantedBug, ADroppedTailIsSeen) {
  const auto spoil = [](auto& body) -> decltype(void(body.walk)) { body.walk.elements -= 1; };
  EXPECT_THAT(fault_of(kOp, kIn, {}, with_bug(spoil)), Optional(HasSubstr("element 34: -nan")));
}

TEST(PlantedBug, ADroppedThreadIsSeen) {
  const auto spoil = [](auto& body) -> decltype(void(body.threads)) {
    body.threads -= body.threads / 6;
  };
  EXPECT_THAT(fault_of(kOp, kIn, {}, with_bug(spoil)), Optional(HasSubstr("element 175: -nan")));
}

TEST(PlantedBug, AStorePastTheEndIsSeen) {
  const auto spoil = [](auto& body) -> decltype(void(body.walk)) { body.walk.elements += 1; };
  EXPECT_EQ(fault_of(kOp, kIn, {}, with_bug(spoil)), "a store beside the output");
}

TEST(PlantedBug, AStoreBeforeTheStartIsSeen) {
  const auto spoil = [](auto& body) { --body.out; };
  EXPECT_EQ(fault_of(kOp, kIn, {}, with_bug(spoil)), "a store beside the output");
}

TEST(PlantedBug, ReadingTheNextElementIsSeen) {
  const auto spoil = [](auto& body) { ++body.in; };
  EXPECT_THAT(fault_of(kOp, kIn, {}, with_bug(spoil)), Optional(HasSubstr("element 0: ")));
}

TEST(PlantedBug, TheConstantsOfAnotherChannelAreSeen) {
  const auto spoil = [](auto& body) -> decltype(void(body.walk)) {
    body.walk.channel_axis = Walk::axes;
  };
  EXPECT_THAT(fault_of(kOp, kIn, {}, with_bug(spoil)), Optional(HasSubstr("element 35: ")));
}

const TensorDesc kPlanes = dense(DType::UInt8, Layout::Nchw, {2, 3, 64, 80}, Memory::Device);
const TensorDesc kPixels = dense(DType::UInt8, Layout::Nhwc, {2, 3, 64, 80}, Memory::Device);

Normalize to_planes(Flip flip) {
  Normalize op = kOp;
  op.layout = Layout::Nchw;
  op.flip = flip;
  return op;
}

TEST(PlantedBug, NoneIsSeenInWholeSlotsWhereThereIsNone) {
  EXPECT_EQ(fault_of(kOp, kPlanes, {}, with_bug([](auto&) {})), std::nullopt);
  EXPECT_EQ(fault_of(to_planes(Flip::Horizontal), kPixels, {}, with_bug([](auto&) {})),
            std::nullopt);
}

TEST(PlantedBug, ASlotBehindAPlaneIsSeen) {
  const auto slot = [](auto& body) -> decltype(void(body.slots & body.whole)) { ++body.slots; };
  const auto group = [](auto& body) -> decltype(void(body.groups)) { ++body.groups; };
  EXPECT_EQ(fault_of(kOp, kPlanes, {}, with_bug(slot)), "a store beside the output");
  EXPECT_EQ(fault_of(to_planes(Flip::None), kPixels, {}, with_bug(group)),
            "a store beside the output");
}

TEST(PlantedBug, ADroppedPartOfAPlaneIsSeen) {
  const auto spoil = [](auto& body) -> decltype(void(body.whole)) { --body.grid.x; };
  EXPECT_THAT(fault_of(kOp, kPlanes, {}, with_bug(spoil)),
              Optional(HasSubstr("element 4096: -nan")));
  EXPECT_THAT(fault_of(to_planes(Flip::Horizontal), kPixels, {}, with_bug(spoil)),
              Optional(HasSubstr("element 4096: -nan")));
}

TEST(PlantedBug, AWrongRowIsSeen) {
  const TensorDesc few_rows = dense(DType::UInt8, Layout::Nhwc, {1, 3, 4, 80}, Memory::Device);
  const auto spoil = [](auto& body) -> decltype(void(body.next_row)) { body.next_row += 4; };
  EXPECT_THAT(fault_of(to_planes(Flip::Horizontal), few_rows, {}, with_bug(spoil)),
              Optional(HasSubstr("element 80: ")));
}

TEST(PlantedBug, AStoreThatAssumesAnAlignedOutputIsSeen) {
  const OnHost naive = [](const Op&, const View&, const View& out, std::int64_t) {
    store16<false>(out.data, {});
  };
  EXPECT_EQ(fault_of(kOp, kIn, {0, 1}, naive), "misaligned access of 16 bytes");
  EXPECT_THAT(fault_of(kOp, kIn, {0, 4}, naive), Optional(HasSubstr("element 0: ")));
}

TEST(PlantedBug, ALoadThatAssumesAnAlignedInputIsSeen) {
  const OnHost naive = [](const Op&, const View& in, const View&, std::int64_t) {
    load16(in.data);
  };
  EXPECT_EQ(fault_of(kOp, kIn, {15, 0}, naive), "misaligned access of 16 bytes");
}

TEST(PlantedBugDeathTest, AReadOfOneElementBesideTheInputEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Fenced before(kIn, Fenced::Side::Before), behind(kIn, Fenced::Side::Behind);
  const volatile std::byte* first = before.view().data;
  const volatile std::byte* last = behind.view().data + kIn.bytes() - 1;
  EXPECT_EQ(std::to_integer<int>(*first), std::to_integer<int>(*last));
  EXPECT_DEATH(static_cast<void>(first[-1]), "");
  EXPECT_DEATH(static_cast<void>(last[1]), "");
}

/// Runs ops on an input that lies directly before or behind a page without access. A read outside
/// of the input ends the process.
void expect_no_read_beside(const TensorDesc& in, const std::vector<Op>& ops) {
  for (const auto side : {Fenced::Side::Before, Fenced::Side::Behind})
    for (const Op& op : ops)
      for (const std::int64_t enough : {std::int64_t{0}, std::int64_t{1} << 18}) {
        const Fenced fenced(in, side);
        Guarded out(infer(op, std::span(&in, 1))[0], 1);
        on_host(op, fenced.view(), out.view(), enough);
      }
}

TEST(Fenced, FusedKernelsReadNothingBesideTheirInput) {
  for (const DType dtype : all_dtypes)
    for (const Layout layout : both_layouts)
      for (const Shape& shape : fused_shapes) {
        const Normalize planes{.mean = {1}, .std = {2}, .layout = Layout::Nchw};
        Normalize pixels = planes, mirrored = planes;
        pixels.layout = Layout::Nhwc;
        pixels.to = DType::Float16;
        mirrored.flip = Flip::Both;
        expect_no_read_beside(
            dense(dtype, layout, shape, Memory::Device),
            {planes, pixels, mirrored, LayoutOp{.to = Layout::Nchw}, LayoutOp{.to = Layout::Nhwc},
             FlipOp{.axis = Flip::Horizontal},
             Crop{.window = {.height = 1, .width = shape.w, .top = shape.h - 1, .left = 0}}});
      }
}

}  // namespace
}  // namespace normbench::cuda::cuda_planted_test
