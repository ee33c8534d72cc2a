#include <gmock/gmock.h>

#include <cmath>
#include <limits>

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
void run_broadcast(const BroadcastArguments& arguments) {
  with_broadcast_body<Operation>(arguments, [](const auto& body) { run_body(body); });
}

TEST(CudaEager, CastKeepsToTheReference) {
  for (const Shape& shape : plain_shapes)
    for (const DType from : all_dtypes)
      for (const DType to : all_dtypes)
        for (const int shift : {0, 1}) {
          const Op op = Cast{.to = to};
          Guarded in(dense(from, Layout::Nhwc, shape, Memory::Device), shift);
          Guarded out(dense(to, Layout::Nhwc, shape, Memory::Device), 3 * shift);
          fill(in.view());
          run_cast(in.view(), out.view());
          ASSERT_EQ(mismatch(expected_of(op, in.view(), out.view().desc), out.view(),
                             bound_of(op, from, out.view().desc)),
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
  for (const Shape& shape : plain_shapes) {
    const auto values = channel_values(shape.c, 123.675, -7.3);
    const std::vector<float> constants(values.begin(), values.end());
    const TensorDesc desc = dense(dtype, layout, shape, Memory::Device);
    for (const Op& op : {Op(Sub{.mean = values}), Op(Div{.std = values})}) {
      const auto run =
          std::holds_alternative<Sub>(op) ? &run_broadcast<Subtract> : &run_broadcast<Divide>;
      Guarded in(desc, shift), out(desc, 3 * shift);
      fill(in.view());
      const Tensor64 expected = expected_of(op, in.view(), desc);
      run(broadcast(in.view(), out.view(), constants));
      ASSERT_EQ(mismatch(expected, out.view(), bound_of(op, dtype, desc)), std::nullopt)
          << name_of(op) << " " << describe(desc);
      run(broadcast(in.view(), in.view(), constants));
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
  const std::vector<float> constants{0.1f, 3.0f};
  const std::vector<float> in{1.0f, 1.0f};
  std::vector<float> out(2);
  const BroadcastArguments arguments{.dtype = DType::Float32,
                                     .in = in.data(),
                                     .out = out.data(),
                                     .elements = 2,
                                     .constants = constants.data(),
                                     .inner = 1,
                                     .channels = 2};
  run_broadcast<Subtract>(arguments);
  EXPECT_THAT(out, testing::ElementsAre(1.0f - 0.1f, -2.0f));
  run_broadcast<Divide>(arguments);
  EXPECT_THAT(out, testing::ElementsAre(1.0f / 0.1f, 1.0f / 3.0f));
}

/// A body over more elements than 32 bits count, whose memory is not touched.
template <class Body>
Body huge(std::int64_t inner, std::int64_t channels) {
  Body body{};
  body.threads = (std::int64_t{1} << 33) + 5;
  body.inner = Divisor::of(inner);
  body.channels = Divisor::of(channels);
  return body;
}

/// The first index near a power of two whose channel is wrong.
template <class Body>
std::optional<std::int64_t> wrong_channel(const Body& body) {
  for (int power = 0; power <= 33; ++power)
    for (int past = -3; past < 5; ++past) {
      const std::int64_t i = (std::int64_t{1} << power) + past;
      if (i < 0 || i >= body.threads) continue;
      if (body.channel(i) != i / body.inner.divisor % body.channels.divisor) return i;
    }
  return std::nullopt;
}

using Floats = BroadcastBody<float, Subtract>;

/// The mistake of a 32-bit index.
struct Narrow : Floats {
  std::int64_t channel(std::int64_t i) const {
    return Floats::channel(static_cast<std::uint32_t>(i));
  }
};

TEST(CudaEager, FindsTheChannelOfElementsPast32Bits) {
  for (const std::int64_t inner : {std::int64_t{1}, std::int64_t{50176}, std::int64_t{921601},
                                   (std::int64_t{1} << 31) - 1, (std::int64_t{1} << 32) + 1})
    for (const std::int64_t channels : {1, 3, 5})
      EXPECT_EQ(wrong_channel(huge<Floats>(inner, channels)), std::nullopt)
          << inner << " " << channels;
}

TEST(CudaEager, AMistakeOf32BitsIsSeen) {
  // 2^32 is 1 past a multiple of 3: the first index past 32 bits has channel 1, not 0.
  EXPECT_EQ(wrong_channel(huge<Narrow>(1, 3)), std::int64_t{1} << 32);
}

TEST(CudaEager, ADroppedTailIsSeen) {
  const TensorDesc desc = dense(DType::Float32, Layout::Nchw, {1, 1, 1, 257}, Memory::Device);
  Guarded in(desc), out(desc);
  fill(in.view());
  CastBody<float, float> body{.threads = 257,
                              .in = reinterpret_cast<const float*>(in.view().data),
                              .out = reinterpret_cast<float*>(out.view().data)};
  body.threads -= body.threads % 256;
  run_body(body);
  EXPECT_THAT(mismatch(to_double(in.view(), 0, 1), out.view(), 0).value_or(""),
              testing::ContainsRegex("^element 256: -?nan instead"));
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_eager_test
