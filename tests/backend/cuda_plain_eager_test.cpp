#include <gmock/gmock.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <random>

#include "backend/cuda/eager.cuh"
#include "backend/cuda_plain_testing.h"

namespace normbench::cuda::cuda_plain_eager_test {
namespace {

void run_cast(const View& in, const View& out) {
  with_cast_body({.from = in.desc.dtype,
                  .to = out.desc.dtype,
                  .in = in.data,
                  .out = out.data,
                  .elements = out.desc.elements()},
                 [](const auto& body) { run_body(body); });
}

/// Returns the constants that `launch_sub` and `launch_div` take. For a division, each divisor is
/// followed by its inverse.
template <class Operation>
std::vector<float> constants_of(const std::vector<double>& values) {
  std::vector<float> constants;
  for (const double value : values) {
    const auto constant = static_cast<float>(value);
    constants.push_back(constant);
    if constexpr (std::is_same_v<Operation, Divide>) constants.push_back(inverse_of(constant));
  }
  return constants;
}

BroadcastArguments broadcast(const View& in, const View& out, const std::vector<float>& constants) {
  const Shape& shape = out.desc.shape;
  return {.dtype = in.desc.dtype,
          .in = in.data,
          .out = out.data,
          .elements = shape.elements(),
          .constants = constants.data(),
          .inner = out.desc.layout == Layout::Nchw ? shape.h * shape.w : 1,
          .channels = shape.c};
}

template <class Operation>
void run_broadcast(const View& in, const View& out, const std::vector<double>& values) {
  const std::vector<float> constants = constants_of<Operation>(values);
  with_broadcast_body<Operation>(broadcast(in, out, constants),
                                 [](const auto& body) { run_body(body); });
}

/// The shapes in plain_shapes, and two shapes whose planes consist of whole vectors. The planes of
/// {2, 3, 4, 8} have fewer elements than a block of threads processes, and those of {2, 3, 32, 36}
/// have more.
const std::vector<Shape> eager_shapes = [] {
  std::vector<Shape> shapes = plain_shapes;
  shapes.insert(shapes.end(), {{2, 3, 4, 8}, {2, 3, 32, 36}});
  return shapes;
}();

TEST(CudaEager, CastKeepsToTheReference) {
  for (const Shape& shape : eager_shapes)
    for (const DType from : all_dtypes)
      for (const DType to : all_dtypes)
        for (const int shift : {0, 1}) {
          const Op op = Cast{.to = to};
          Guarded in(dense(from, Layout::Nhwc, shape, Memory::Device), shift);
          Guarded out(dense(to, Layout::Nhwc, shape, Memory::Device), 3 * shift);
          fill(in.view());
          run_cast(in.view(), out.view());
          ASSERT_EQ(mismatch(expected_of(op, in.view(), out.view().desc), out.view(),
                             bounds_of(op, in.view(), out.view().desc)),
                    std::nullopt)
              << describe(in.view().desc) << " -> " << name_of(to);
          ASSERT_TRUE(out.guards_intact());
        }
}

TEST(CudaEager, CastToUint8RoundsToEvenAndSaturates) {
  const std::vector<float> values{-1,     0.5f, 1.5f,      2.5f,     254.5f,
                                  255.5f, 300,  -INFINITY, INFINITY, NAN};
  std::vector<std::uint8_t> out(values.size(), 7);
  with_cast_body({.from = DType::Float32,
                  .to = DType::UInt8,
                  .in = values.data(),
                  .out = out.data(),
                  .elements = static_cast<std::int64_t>(values.size())},
                 [](const auto& body) { run_body(body); });
  EXPECT_THAT(out, testing::ElementsAre(0, 0, 2, 2, 254, 255, 255, 0, 255, 0));
}

class Broadcasts : public testing::TestWithParam<std::tuple<DType, Layout, int>> {};

TEST_P(Broadcasts, KeepToTheReferenceInPlaceToo) {
  const auto [dtype, layout, shift] = GetParam();
  for (const Shape& shape : eager_shapes) {
    const auto values = channel_values(shape.c, 123.675, -7.3);
    const TensorDesc desc = dense(dtype, layout, shape, Memory::Device);
    for (const Op& op : {Op(Sub{.mean = values}), Op(Div{.std = values})}) {
      const auto run =
          std::holds_alternative<Sub>(op) ? &run_broadcast<Subtract> : &run_broadcast<Divide>;
      Guarded in(desc, shift), out(desc, 3 * shift);
      fill(in.view());
      const Tensor64 expected = expected_of(op, in.view(), desc);
      run(in.view(), out.view(), values);
      ASSERT_EQ(mismatch(expected, out.view(), bounds_of(op, in.view(), desc)), std::nullopt)
          << name_of(op) << " " << describe(desc);
      run(in.view(), in.view(), values);
      ASSERT_TRUE(in.payload() == out.payload()) << name_of(op) << " in place";
      ASSERT_TRUE(in.guards_intact() && out.guards_intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CudaEager, Broadcasts,
                         testing::Combine(testing::Values(DType::Float16, DType::BFloat16,
                                                          DType::Float32),
                                          testing::ValuesIn(both_layouts), testing::Values(0, 1)));

TEST(CudaEager, ComputesInFloat32AndRoundsOnce) {
  for (const Layout layout : both_layouts) {
    const TensorDesc desc = dense(DType::Float32, layout, {1, 2, 1, 4}, Memory::Device);
    Guarded in(desc), out(desc);
    std::fill_n(reinterpret_cast<float*>(in.view().data), 8, 1.0f);
    const auto at = [&](std::int64_t channel) {
      return reinterpret_cast<const float*>(out.view().data)[channel * desc.strides.c];
    };
    run_broadcast<Subtract>(in.view(), out.view(), {0.1f, 3.0f});
    EXPECT_EQ(at(0), 1.0f - 0.1f);
    EXPECT_EQ(at(1), -2.0f);
    run_broadcast<Divide>(in.view(), out.view(), {0.1f, 3.0f});
    EXPECT_EQ(at(0), 1.0f / 0.1f);
    EXPECT_EQ(at(1), 1.0f / 3.0f);
  }
}

/// Returns the bits of x / divisor as a CUDA thread computes them.
std::uint32_t quotient(float x, float divisor) {
  const float all[] = {x, x, x, x};
  const Divide::Constant one{divisor, inverse_of(divisor)}, constants[] = {one, one, one, one};
  std::uint32_t bits = 0;
  Divide::apply(all, constants, [&](const float* y) { bits = std::bit_cast<std::uint32_t>(y[3]); });
  return bits;
}

TEST(CudaEager, DividesToTheBit) {
  std::vector<float> divisors{1,      58.395f,       57.12f,    57.375f,        0.229f,
                              3,      0x1.fffffep0f, 0x1p-20f,  0x1p20f,        1e30f,
                              1e-30f, -7.3f,         0x1p-149f, 0x1.000002p-20f};
  std::vector<float> dividends{0.0f,    -0.0f,     1,        255,      FLT_MAX,
                               FLT_MIN, 0x1p-149f, INFINITY, -INFINITY};
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(x)) dividends.push_back(x);
    dividends.push_back(
        std::bit_cast<float>(0x3F800000 | static_cast<std::uint32_t>(random() >> 9)));
  }
  for (int i = 0; i < 100; ++i)
    divisors.push_back(
        std::bit_cast<float>(0x3F800000 | static_cast<std::uint32_t>(random() >> 9)));
  for (const float divisor : divisors)
    for (const float x : dividends)
      ASSERT_EQ(quotient(x, divisor), std::bit_cast<std::uint32_t>(x / divisor))
          << x << " / " << divisor;
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(quotient(NAN, 3))));
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(quotient(INFINITY, INFINITY))));
}

TEST(CudaEager, AQuotientThatIsNotCorrectedIsSeen) {
  int wrong = 0;
  for (int x = 1; x < 256; ++x) {
    const auto dividend = static_cast<float>(x);
    if (dividend * inverse_of(58.395f) != dividend / 58.395f) ++wrong;
  }
  EXPECT_GT(wrong, 10);
}

/// Returns true if PlanesBody is chosen for a tensor of this size. It is the kernel body whose grid
/// has one axis for channels and one for images.
bool counts_planes_by_its_grid(std::int64_t images, std::int64_t channels, std::int64_t inner) {
  const BroadcastArguments arguments{
      .elements = images * channels * inner, .inner = inner, .channels = channels};
  return with_broadcast_body<Subtract>(arguments, []<class Body>(const Body&) {
    return std::is_same_v<Body, PlanesBody<float, Subtract>>;
  });
}

TEST(CudaEager, AGridCountsPlanesUpToItsLimits) {
  EXPECT_TRUE(counts_planes_by_its_grid(65535, 65535 / 3, 4));
  EXPECT_FALSE(counts_planes_by_its_grid(65536, 3, 4));
  EXPECT_FALSE(counts_planes_by_its_grid(3, 65536, 4));
  EXPECT_FALSE(counts_planes_by_its_grid(1, 3, 5));
  EXPECT_TRUE(counts_planes_by_its_grid(1, 3, std::int64_t{1} << 31));
  EXPECT_FALSE(counts_planes_by_its_grid(1, 4, std::int64_t{1} << 31));
}

TEST(CudaEager, MorePlanesThanAGridCountsKeepToTheReference) {
  for (const Shape& shape : {Shape{65536, 2, 1, 4}, Shape{1, 65536, 1, 4}}) {
    const TensorDesc desc = dense(DType::Float32, Layout::Nchw, shape, Memory::Device);
    const auto values = channel_values(shape.c, 1, 0.5);
    Guarded in(desc), out(desc);
    fill(in.view());
    run_broadcast<Subtract>(in.view(), out.view(), values);
    EXPECT_EQ(mismatch(expected_of(Sub{.mean = values}, in.view(), desc), out.view(),
                       bounds_of(Sub{.mean = values}, in.view(), desc)),
              std::nullopt);
  }
}

/// Returns a body over more elements than 32 bits can count. Its memory is never touched.
template <class Body>
Body huge(std::int64_t inner, std::int64_t channels) {
  Body body{};
  body.elements = (std::int64_t{1} << 33) + 5;
  body.inner = Divisor::of(inner);
  body.channels = Divisor::of(channels);
  return body;
}

/// Returns the first index with a wrong channel, or nothing. Checks only indices near powers of
/// two.
template <class Body>
std::optional<std::int64_t> wrong_channel(const Body& body) {
  for (int power = 0; power <= 33; ++power)
    for (int past = -3; past < 5; ++past) {
      const std::int64_t i = (std::int64_t{1} << power) + past, inner = body.inner.divisor;
      if (i < 0 || i >= body.elements) continue;
      const auto [channel, before] = body.channel(i);
      if (channel != i / inner % body.channels.divisor || before != i % inner) return i;
    }
  return std::nullopt;
}

using Floats = BroadcastBody<float, Subtract>;

/// A body with a bug: its index has 32 bits.
struct Narrow : Floats {
  Quotient channel(std::int64_t i) const { return Floats::channel(static_cast<std::uint32_t>(i)); }
};

TEST(CudaEager, FindsTheChannelOfElementsPast32Bits) {
  for (const std::int64_t inner : {std::int64_t{1}, std::int64_t{50176}, std::int64_t{921601},
                                   (std::int64_t{1} << 31) - 1, (std::int64_t{1} << 32) + 1})
    for (const std::int64_t channels : {1, 3, 5})
      EXPECT_EQ(wrong_channel(huge<Floats>(inner, channels)), std::nullopt)
          << inner << " " << channels;
}

TEST(CudaEager, AMistakeOf32BitsIsSeen) {
  // With an inner extent of 1 and 3 channels, element i is in channel i % 3. So element 2^32 is in
  // channel 1. Cut to 32 bits, its index is 0, which is in channel 0.
  EXPECT_EQ(wrong_channel(huge<Narrow>(1, 3)), std::int64_t{1} << 32);
}

TEST(CudaEager, ADroppedTailIsSeen) {
  const TensorDesc desc = dense(DType::Float32, Layout::Nchw, {1, 1, 1, 1025}, Memory::Device);
  Guarded in(desc), out(desc);
  fill(in.view());
  with_cast_body({.from = DType::Float32,
                  .to = DType::Float32,
                  .in = in.view().data,
                  .out = out.view().data,
                  .elements = 1025},
                 [](auto body) {
                   body.grid.x = body.whole;
                   run_body(body);
                 });
  EXPECT_THAT(mismatch(to_double(in.view(), 0, 1), out.view(), 0).value_or(""),
              testing::ContainsRegex("^element 1024: -?nan instead"));
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_eager_test
