/// Tests which body of a fused kernel is chosen for a tensor, and that all bodies compute the same
/// bits.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "backend/cuda/fused.cuh"
#include "backend/cuda_fused_testing.h"

namespace normbench::cuda::cuda_planes_test {
namespace {

template <class Body>
constexpr std::string_view kind = "general";
template <class In, class Out, class Function, int Period, bool Streaming>
constexpr std::string_view kind<PlanesToPlanes<In, Out, Function, Period, Streaming>> = "planes";
template <class Out, class Function, bool Mirrored, bool Streaming>
constexpr std::string_view kind<PixelsToPlanes<Out, Function, Mirrored, Streaming>> = "pixels";
template <class In, class Out, class Function>
constexpr std::string_view kind<PixelsApart<In, Out, Function>> = "apart";

template <class Use>
auto with_task(const Normalize& op, const View& in, const View& out, Use use) {
  NormalizeArguments arguments;
  arguments.task = task_of(op, portions_of(op, std::span(&in, 1), out).at(0));
  set_constants(op, out.desc.shape.c, arguments);
  return with_type(op.to, [&]<class Out>(std::type_identity<Out>) {
    if constexpr (std::is_same_v<Out, std::uint8_t>)
      return use(arguments, Identity<Out>{});
    else
      return with_normalize<Out>(arguments, [&](const auto& body) { return use(arguments, body); });
  });
}

/// Returns the kind of the kernel body that is chosen if the input starts `in_past` bytes past
/// address 4096 and the output `out_past` bytes.
std::string_view kind_of(const Normalize& op, const TensorDesc& in, std::uintptr_t in_past = 0,
                         std::uintptr_t out_past = 0) {
  const View from{reinterpret_cast<std::byte*>(4096 + in_past), in};
  const View to{reinterpret_cast<std::byte*>(4096 + out_past), op.infer(std::span(&in, 1))[0]};
  return with_task(op, from, to,
                   []<class Body>(const NormalizeArguments&, const Body&) { return kind<Body>; });
}

TensorDesc tensor(Layout layout, const Shape& shape, DType dtype = DType::UInt8) {
  return dense(dtype, layout, shape, Memory::Device);
}

const Normalize kOp{.mean = {1, 2, 3}, .std = {4, 5, 6}, .layout = Layout::Nchw};

Normalize flipped(Flip flip) {
  Normalize op = kOp;
  op.flip = flip;
  return op;
}
Normalize cropped(const Window& window) {
  Normalize op = kOp;
  op.crop = {window};
  return op;
}

TEST(FusedBodies, DensePlanesOfWholeSlotsHaveTheirOwn) {
  const TensorDesc planes = tensor(Layout::Nchw, {2, 3, 8, 10});
  EXPECT_EQ(kind_of(kOp, planes), "planes");
  EXPECT_EQ(kind_of(kOp, planes, 4, 16), "planes");
  EXPECT_EQ(kind_of(kOp, planes, 1), "general");
  EXPECT_EQ(kind_of(kOp, planes, 0, 4), "general");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {2, 3, 9, 10})), "general");
  EXPECT_EQ(kind_of(flipped(Flip::Horizontal), planes), "general");
  EXPECT_EQ(kind_of(cropped({.height = 4, .width = 8}), planes), "general");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {2, 3, 8, 10}, DType::Float32)), "planes");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {2, 3, 8, 10}, DType::Float16)), "general");
  Normalize half = kOp;
  half.to = DType::Float16;
  EXPECT_EQ(kind_of(half, planes), "planes");
  EXPECT_EQ(kind_of(half, planes, 4), "general");  // a slot needs 8 aligned input bytes
  EXPECT_EQ(kind_of(half, tensor(Layout::Nchw, {2, 3, 6, 6})), "general");
}

TEST(FusedBodies, ChannelsThatAreAlikeAreOnePlane) {
  const Normalize alike{.mean = {1}, .std = {2}};
  for (const Layout layout : both_layouts)
    EXPECT_EQ(kind_of(alike, tensor(layout, {4, 3, 3, 5})), "planes");
  EXPECT_EQ(kind_of(alike, tensor(Layout::Nchw, {1, 3, 3, 5})), "general");
  EXPECT_EQ(kind_of(alike, tensor(Layout::Nchw, {100000, 3, 1, 4})), "planes");
}

TEST(FusedBodies, PixelsOfThreeThatStayPixelsAreOnePlane) {
  Normalize pixels = kOp;
  pixels.layout = Layout::Nhwc;
  for (const DType dtype : {DType::UInt8, DType::Float32})
    EXPECT_EQ(kind_of(pixels, tensor(Layout::Nhwc, {2, 3, 2, 3}, dtype)), "planes");
  EXPECT_EQ(kind_of(pixels, tensor(Layout::Nhwc, {1, 3, 3, 3})), "general");
  EXPECT_EQ(kind_of(pixels, tensor(Layout::Nchw, {2, 3, 2, 4})), "general");
  const Normalize four{.mean = {1, 2, 3, 4}, .std = {5}, .layout = Layout::Nhwc};
  EXPECT_EQ(kind_of(four, tensor(Layout::Nhwc, {2, 4, 2, 4})), "general");
}

TEST(FusedBodies, PixelsOfThreeBytesHaveTheirOwn) {
  const TensorDesc pixels = tensor(Layout::Nhwc, {2, 3, 6, 12});
  for (const Flip flip : {Flip::None, Flip::Horizontal, Flip::Vertical, Flip::Both})
    EXPECT_EQ(kind_of(flipped(flip), pixels), "pixels");
  EXPECT_EQ(kind_of(kOp, pixels, 1), "apart");
  EXPECT_EQ(kind_of(kOp, pixels, 0, 4), "apart");
  EXPECT_EQ(kind_of(cropped({.height = 3, .width = 8, .top = 1, .left = 4}), pixels), "pixels");
  EXPECT_EQ(kind_of(cropped({.height = 3, .width = 8, .top = 1, .left = 1}), pixels), "apart");
  EXPECT_EQ(kind_of(cropped({.height = 3, .width = 4, .top = 1, .left = 4}), pixels), "apart");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {2, 3, 6, 10})), "pixels");  // one row of 60 pixels
  EXPECT_EQ(kind_of(flipped(Flip::Both), tensor(Layout::Nhwc, {2, 3, 6, 10})), "pixels");
  EXPECT_EQ(kind_of(flipped(Flip::Horizontal), tensor(Layout::Nhwc, {2, 3, 6, 10})), "apart");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {2, 3, 5, 7})), "apart");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {2, 3, 6, 12}, DType::Float32)), "apart");
}

TEST(FusedBodies, AGridHasLimits) {
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {65535, 3, 2, 4})), "planes");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {65536, 3, 2, 4})), "general");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {65535, 3, 2, 4})), "pixels");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {65536, 3, 2, 4})), "apart");
}

TEST(FusedBodies, OffsetsOf32BitsHaveLimits) {
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {1, 3, 16000, 16000})), "pixels");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nhwc, {1, 3, 30000, 30000})), "apart");
  // A 32-bit multiplication finds the row of a group of pixels. It is right only if the number of
  // groups in an image, times the number of groups in a row, is below 2^32.
  EXPECT_EQ(kind_of(flipped(Flip::Horizontal), tensor(Layout::Nhwc, {1, 3, 63, 32768})), "pixels");
  EXPECT_EQ(kind_of(flipped(Flip::Horizontal), tensor(Layout::Nhwc, {1, 3, 64, 32768})), "apart");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {2, 3, 30000, 30000})), "planes");
  EXPECT_EQ(kind_of(kOp, tensor(Layout::Nchw, {2, 3, 40000, 40000})), "general");
}

/// Returns the first output whose bits differ from x * a + b with a single rounding, or nothing.
template <class In, class Out>
std::optional<std::int64_t> wrong_bits(const NormalizeArguments& arguments) {
  const View &in = arguments.task.in, &out = arguments.task.out;
  const Shape& shape = out.desc.shape;
  const Strides &from = in.desc.strides, &to = out.desc.strides;
  for (std::int64_t n = 0; n < shape.n; ++n)
    for (std::int64_t c = 0; c < shape.c; ++c)
      for (std::int64_t y = 0; y < shape.h; ++y)
        for (std::int64_t x = 0; x < shape.w; ++x) {
          const std::int64_t i = n * to.n + c * to.c + y * to.h + x * to.w;
          const In value = reinterpret_cast<const In*>(
              in.data)[n * from.n + c * from.c + y * from.h + x * from.w];
          const auto expected =
              to_value<Out>(std::fmaf(to_float(value), arguments.a[c], arguments.b[c]));
          if (std::memcmp(&expected, reinterpret_cast<const Out*>(out.data) + i, sizeof(Out)) != 0)
            return i;
        }
  return std::nullopt;
}

class FusedBits : public testing::TestWithParam<std::tuple<DType, DType>> {};

/// Shapes smaller than a block, and shapes of several blocks, the last of them incomplete. The
/// widths have every remainder modulo 4.
const std::vector<Shape> kShapes{{1, 3, 1, 4},   {2, 3, 3, 8},   {2, 3, 6, 10},  {1, 3, 5, 7},
                                 {1, 3, 65, 68}, {1, 3, 32, 64}, {1, 1, 64, 65}, {3, 4, 4, 12},
                                 {1, 3, 9, 516}, {1, 2, 33, 126}};

std::vector<Normalize> normalizations(DType to, const Shape& shape) {
  std::vector<Normalize> ops;
  for (const Layout layout : both_layouts)
    for (const Flip flip : {Flip::None, Flip::Horizontal, Flip::Vertical, Flip::Both})
      for (const std::int64_t left : {-1, 1, 4}) {
        Normalize op{.mean = {0.485}, .std = {58.395}, .to = to, .layout = layout};
        if (shape.c > 1) op.mean = channel_values(shape.c, 123.675, -7.3);
        op.flip = flip;
        if (left >= 0 && shape.w > 8 && shape.h > 2)
          op.crop = {Window{.height = shape.h - 2, .width = shape.w - 8, .top = 1, .left = left}};
        else if (left >= 0)
          continue;
        ops.push_back(op);
      }
  return ops;
}

TEST_P(FusedBits, AreThoseOfOneMultiplyAdd) {
  const auto [from, to] = GetParam();
  std::set<std::string_view> kinds;
  for (const Shape& shape : kShapes)
    for (const Layout layout : both_layouts)
      for (const Normalize& op : normalizations(to, shape))
        for (const auto& [in_shift, out_shift] : {std::pair{0, 0}, {4, 1}, {8, 8}}) {
          const TensorDesc desc = tensor(layout, shape, from);
          Guarded in(desc, in_shift), out(op.infer(std::span(&desc, 1))[0], out_shift);
          fill(in.view());
          const auto wrong = with_type(from, [&]<class In>(std::type_identity<In>) {
            return with_task(
                op, in.view(), out.view(),
                [&]<class Body>(const NormalizeArguments& arguments,
                                const Body& body) -> std::optional<std::int64_t> {
                  if constexpr (requires { body.out; }) {
                    kinds.insert(kind<Body>);
                    run_body(body);
                    return wrong_bits<In, std::remove_cvref_t<decltype(*body.out)>>(arguments);
                  }
                  return 0;
                });
          });
          ASSERT_EQ(wrong, std::nullopt) << describe(desc) << " -> " << describe(out.view().desc)
                                         << " " << in_shift << " " << out_shift;
          ASSERT_TRUE(out.guards_intact());
        }
  EXPECT_TRUE(kinds.contains("general") && kinds.contains("apart"));
  EXPECT_EQ(kinds.contains("pixels"), from == DType::UInt8);
  EXPECT_TRUE(kinds.contains("planes"));
}

INSTANTIATE_TEST_SUITE_P(Cuda, FusedBits,
                         testing::Combine(testing::Values(DType::UInt8, DType::Float32),
                                          testing::Values(DType::Float32, DType::Float16,
                                                          DType::BFloat16)),
                         [](const auto& info) {
                           return std::string(name_of(std::get<0>(info.param))) + "_to_" +
                                  std::string(name_of(std::get<1>(info.param)));
                         });

TEST(FusedBodies, MorePlanesThanAGridCountsKeepToTheReference) {
  for (const Layout layout : both_layouts)
    EXPECT_EQ(fault_of(kOp, tensor(layout, {65536, 3, 1, 4}), {}), std::nullopt);
}

}  // namespace
}  // namespace normbench::cuda::cuda_planes_test
