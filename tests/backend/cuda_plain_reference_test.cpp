#include <gmock/gmock.h>

#include "backend/cuda/reference.cuh"
#include "backend/cuda_plain_testing.h"

namespace normbench::cuda::cuda_plain_reference_test {
namespace {

/// Returns `whole`, its middle, the middle mirrored in both directions, and `whole` with its rows
/// in reverse order. In memory, the rows and planes of the middle have gaps between them.
std::vector<View> strided(const View& whole) {
  const auto [n, c, h, w] = whole.desc.shape.extents();
  const View inner = crop_view(whole, 1, 2, h - 2, w - 3);
  return {whole, inner, flip_view(inner, Flip::Both), flip_view(whole, Flip::Vertical)};
}

Shape framed(const Shape& s) { return {s.n, s.c, s.h + 2, s.w + 3}; }

void run_pointwise(const PointwiseArguments& arguments) {
  run_body(PointwiseReference{arguments.out.desc.elements(), arguments});
}

/// Returns the bytes of the values `exact`, each rounded once to the dtype of `desc`.
std::vector<std::byte> rounded(const Tensor64& exact, const TensorDesc& desc) {
  Guarded out(desc);
  from_double(exact, out.view(), 0);
  return out.payload();
}

TEST(CudaReferences, MoveAndCastEveryViewToEveryDtypeAndLayout) {
  for (const Shape& shape : plain_shapes)
    for (const DType from : all_dtypes)
      for (const DType to : all_dtypes)
        for (const Layout layout : both_layouts)
          for (const Layout other : both_layouts) {
            Guarded in(dense(from, layout, framed(shape), Memory::Device), 1);
            fill(in.view());
            for (const View& view : strided(in.view())) {
              Guarded out(dense(to, other, view.desc.shape, Memory::Device), 3);
              run_pointwise({.in = view, .out = out.view()});
              ASSERT_TRUE(out.payload() == rounded(to_double(view, 0, shape.n), out.view().desc))
                  << describe(view.desc) << " -> " << describe(out.view().desc);
              ASSERT_TRUE(out.guards_intact());
            }
          }
}

TEST(CudaReferences, NormalizeInDouble) {
  const Shape shape{2, 3, 5, 7};
  const auto mean = channel_values(3, 123.675, -7.3), std = channel_values(3, 58.395, 1.7);
  for (const DType from : all_dtypes)
    for (const DType to : {DType::Float16, DType::BFloat16, DType::Float32})
      for (const Layout layout : both_layouts) {
        const Op op = Normalize{.mean = mean, .std = std, .to = to, .scale = 1 / 255.0};
        Guarded in(dense(from, layout, framed(shape), Memory::Device), 1);
        fill(in.view());
        for (const View& view : strided(in.view())) {
          Guarded out(dense(to, layout, view.desc.shape, Memory::Device));
          run_pointwise({.in = view,
                         .out = out.view(),
                         .scale = 1 / 255.0,
                         .means = mean.data(),
                         .stds = std.data()});
          ASSERT_TRUE(out.payload() ==
                      rounded(expected_of(op, view, out.view().desc), out.view().desc))
              << describe(view.desc) << " -> " << name_of(to);
        }
      }
}

TEST(CudaReferences, WriteIntoStridedOutputs) {
  Guarded in(dense(DType::UInt8, Layout::Nhwc, {1, 2, 1, 2}, Memory::Device));
  fill(in.view());
  Guarded whole(dense(DType::Float32, Layout::Nchw, {1, 2, 2, 3}, Memory::Device));
  run_pointwise({.in = in.view(), .out = crop_view(whole.view(), 1, 1, 1, 2)});
  const Tensor64 from = to_double(in.view(), 0, 1), got = to_double(whole.view(), 0, 1);
  const std::vector<double>& x = from.values;
  const auto poison = testing::IsNan();
  EXPECT_THAT(got.values, testing::ElementsAre(poison, poison, poison, poison, x[0], x[1],  //
                                               poison, poison, poison, poison, x[2], x[3]));
}

TEST(CudaReferences, ResizeAsTheOpSays) {
  for (const auto& [h, w] : {std::pair{11, 10}, {3, 3}, {5, 7}, {1, 1}})
    for (const DType dtype : all_dtypes)
      for (const Layout layout : both_layouts) {
        const Op op = Resize{.height = h, .width = w};
        Guarded in(dense(dtype, layout, framed({2, 3, 5, 7}), Memory::Device), 1);
        fill(in.view());
        for (const View& view : strided(in.view())) {
          Guarded out(dense(dtype, layout, {2, 3, h, w}, Memory::Device), 3);
          run_body(reference_of(std::get<Resize>(op), view, out.view(), nullptr));
          const double bound =  // for one rounding to the dtype and the sums in double
              dtype == DType::UInt8 ? 0.5 + 1e-9 : 256 * unit_roundoff(dtype);
          ASSERT_EQ(mismatch(expected_of(op, view, out.view().desc), out.view(), bound),
                    std::nullopt)
              << describe(view.desc) << " -> " << h << "x" << w;
          ASSERT_TRUE(out.guards_intact());
        }
      }
}

TEST(CudaReferences, StreamTakesTheSameShareOfTheInput) {
  const std::vector<std::uint8_t> in{10, 20, 30};
  std::vector<std::uint8_t> out(7, 0xFF);
  const auto run = [&](std::int64_t writes, std::int64_t reads) {
    run_body(StreamReference{writes, reinterpret_cast<const std::byte*>(in.data()), reads,
                             reinterpret_cast<std::byte*>(out.data())});
  };
  run(6, 3);
  EXPECT_THAT(out, testing::ElementsAre(10, 10, 20, 20, 30, 30, 0xFF));
  run(2, 3);
  EXPECT_THAT(out, testing::ElementsAre(10, 20, 20, 20, 30, 30, 0xFF));
  run(6, 0);
  EXPECT_THAT(out, testing::ElementsAre(0, 0, 0, 0, 0, 0, 0xFF));
}

TEST(CudaReferences, CountPast32Bits) {
  const Shape shape{3, 2, 40000, 50000};
  const std::int64_t i = ((2 * shape.c + 1) * shape.h + 39999) * shape.w + 49998;
  const Position at = position_of(shape, i);
  EXPECT_EQ(at.n, 2);
  EXPECT_EQ(at.c, 1);
  EXPECT_EQ(at.y, 39999);
  EXPECT_EQ(at.x, 49998);
  const View view{nullptr, dense(DType::UInt8, Layout::Nchw, shape, Memory::Device)};
  EXPECT_EQ(offset_of(view, at), i);
  EXPECT_GT(i, std::int64_t{1} << 33);
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_reference_test
