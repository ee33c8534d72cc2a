/// Tests the CPU kernels of denormalize on inputs whose exact results are known. Tests on random
/// values allow an error of 1, so they would miss a wrong rounding.
#include <gtest/gtest.h>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"
#include "core/dtype.h"

namespace normbench::cpu_denormalize_test {
namespace {

const std::vector<double> mean{123.675, 116.28, 103.53}, deviation{58.395, 57.12, 57.375};

/// The parameters are an instruction set and the name of a CPU kernel of denormalize.
class DenormalizeRows : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  Kernel row() const { return cpu_row(Denormalize::name, std::get<1>(GetParam())); }
  ForcedSimd forced_{std::get<0>(GetParam())};
};

/// Fills a view so that all values from 0 to 255 occur in every channel.
void fill_bytes(const View& view) {
  Tensor64 values{.shape = view.desc.shape, .values = {}};
  for (std::int64_t i = 0; i < view.desc.elements(); ++i)
    values.values.push_back(static_cast<double>(i * 7 % 256));
  from_double(values, view, 0);
}

TEST_P(DenormalizeRows, GiveTheBytesBackThatWereNormalized) {
  for (const Shape& shape : {Shape{2, 3, 11, 67}, Shape{1, 1, 3, 300}, Shape{1, 4, 9, 61}})
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const Layout back : {Layout::Nchw, Layout::Nhwc})
        for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16})
          for (const int threads : {1, 3}) {
            const bool colours = shape.c == 3;
            const Normalize there{.mean = colours ? mean : std::vector{mean[0]},
                                  .std = colours ? deviation : std::vector{deviation[0]},
                                  .to = dtype,
                                  .layout = back};
            const Denormalize here{.mean = there.mean, .std = there.std, .layout = layout};
            Guarded in(dense(DType::UInt8, layout, shape, Memory::Pageable));
            Guarded between(there.infer(std::vector{in.view().desc})[0], 1);
            Guarded out(in.view().desc, 5);
            fill_bytes(in.view());
            launch(cpu_row("normalize", "fused"), there, in.view(), between.view(), 1);
            launch(row(), here, between.view(), out.view(), threads);
            ASSERT_EQ(out.payload(), in.payload())
                << name_of(dtype) << " " << name_of(back) << " to " << name_of(layout);
            ASSERT_TRUE(out.guards_intact());
          }
}

/// The values include halves, which round to the even number. They also include values outside of 0
/// to 255, and NaN.
TEST_P(DenormalizeRows, RoundToEvenSaturateAndMakeNanZero) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> some{-infinity, -1000, -0.5, -0.25, 0.5,  1.5,      2.5,
                                 126.5,     127.5, 254,  256,   3000, infinity, NAN};
  const std::vector<double> right{0, 0, 0, 0, 0, 2, 2, 126, 128, 254, 255, 255, 255, 0};
  for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16})
    for (const Layout from : {Layout::Nchw, Layout::Nhwc})
      for (const Layout to : {Layout::Nchw, Layout::Nhwc}) {
        const Denormalize op{.mean = {0.0}, .std = {1.0}, .layout = to};
        Guarded in(dense(dtype, from, {1, 3, 2, 217}, Memory::Pageable), 1);
        Guarded out(op.infer(std::vector{in.view().desc})[0], 1);
        Tensor64 values{.shape = in.view().desc.shape, .values = {}}, expected = values;
        for (std::int64_t i = 0; i < values.shape.elements(); ++i) {
          values.values.push_back(some[static_cast<std::size_t>(i) % some.size()]);
          expected.values.push_back(right[static_cast<std::size_t>(i) % some.size()]);
        }
        from_double(values, in.view(), 0);
        launch(row(), op, in.view(), out.view(), 1);
        ASSERT_EQ(mismatch(expected, out.view(), 0), std::nullopt)
            << name_of(dtype) << " " << name_of(from) << " to " << name_of(to);
      }
}

INSTANTIATE_TEST_SUITE_P(Cpu, DenormalizeRows,
                         testing::Combine(testing::ValuesIn(simd_targets()),
                                          testing::Values("fused", "fused_temporal", "fused_nt")),
                         [](const auto& info) {
                           return std::get<1>(info.param) + "_" + std::get<0>(info.param);
                         });

}  // namespace
}  // namespace normbench::cpu_denormalize_test
