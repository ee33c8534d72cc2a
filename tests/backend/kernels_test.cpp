#include <gmock/gmock.h>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_variants.h"

namespace normbench::kernels_test {
namespace {

const Shape kPlanes{3, 4, 8, 64};  // tried with teams: several rows for each thread
const std::vector<Shape> kShapes{{1, 1, 1, 1},   {1, 3, 1, 1},   {2, 3, 5, 7},  {1, 3, 17, 33},
                                 kPlanes,        {1, 2, 3, 15},  {1, 3, 2, 16}, {1, 1, 3, 17},
                                 {1, 3, 1, 31},  {1, 1, 2, 32},  {2, 1, 1, 63}, {1, 5, 2, 65},
                                 {1, 3, 2, 127}, {1, 3, 1, 300}, {1, 4, 3, 67}};
const Shape kTiles{1, 3, 33, 67};  // several tiles, and no plane starts where a cache line does
const Shape kLarge{1, 1, 1, 1000003};
const Shape kManyRows{2, 3, 61, 67};
const Shape kPages{2, 3, 210, 160};    // over four pages a plane: two blocks, and a rest
const Shape kLongRows{1, 3, 32, 226};  // planes of whole cache lines, whose rows start within some

/// Where the buffers start, in elements past a cache line, and the size of the team.
struct Setting {
  int shift, threads;
};

/// One op on one input: right within its bound, no stray write, and the same bits in every setting.
void expect_right(const Kernel& kernel, const Op& op, const Signature& s) {
  SCOPED_TRACE(describe(s.in[0]) + " -> " + describe(s.out[0]));
  const Accuracy in_accuracy = filled(s.in[0].dtype);
  const double bound = accuracy(op, std::span(&in_accuracy, 1), s.out).error;
  std::vector<Setting> settings{{0, 1}, {1, 1}};
  if (s.in[0].shape == kPlanes || s.in[0].shape.elements() > kPlanes.elements())
    settings.insert(settings.end(), {{0, 2}, {1, 3}});
  std::vector<std::byte> first;
  for (const auto [shift, threads] : settings) {
    Guarded in(s.in[0], shift), out(s.out[0], 3 * shift);
    fill(in.view());
    launch(kernel, op, in.view(), out.view(), threads);
    if (first.empty()) {
      const Tensor64 expected = expected_of(op, in.view(), s.out[0]);
      ASSERT_EQ(mismatch(expected, out.view(), bound), std::nullopt);
      first = out.payload();
    }
    ASSERT_TRUE(out.guards_intact()) << threads << " threads, shift " << shift;
    ASSERT_TRUE(out.payload() == first) << threads << " threads, shift " << shift;
  }
}

/// Runs every variant of a row; gives how many of them the row accepted.
int expect_all_right(const Kernel& kernel, const Shape& shape) {
  int accepted = 0;
  for (const TensorDesc& in : inputs(shape))
    for (const Op& op : variants(kernel.op, shape)) {
      const auto signature = signature_of(kernel, op, in);
      if (!signature) continue;
      ++accepted;
      expect_right(kernel, op, *signature);
      if (testing::Test::HasFatalFailure()) return accepted;
    }
  return accepted;
}

class Rows : public testing::TestWithParam<std::tuple<Kernel, std::string>> {};

TEST_P(Rows, KeepToTheReference) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  int accepted = 0;
  for (const Shape& shape : kShapes) {
    accepted += expect_all_right(kernel, shape);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(accepted, 2 * static_cast<int>(kShapes.size()));
}

TEST_P(Rows, KeepToTheReferenceAcrossTiles) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  EXPECT_GE(expect_all_right(kernel, kTiles), 2);
}

TEST_P(Rows, KeepToTheReferenceWhenLarge) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  const Shape shape = kernel.op == Resize::name ? kManyRows : kLarge;
  const TensorDesc in = dense(kernel.name == "lut" ? DType::UInt8 : DType::Float32, Layout::Nhwc,
                              shape, Memory::Pageable);
  const auto signature = signature_of(kernel, variants(kernel.op, shape)[0], in);
  ASSERT_TRUE(signature);
  expect_right(kernel, variants(kernel.op, shape)[0], *signature);
}

class LayoutRows : public Rows {};

/// Rows of pixels and planes, four pages at once.
TEST_P(LayoutRows, KeepToTheReferenceOverManyPages) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  const std::vector<double> mean{123.675, 116.28, 103.53}, std{58.395, 57.12, 57.375};
  int accepted = 0;
  for (const Layout from : {Layout::Nchw, Layout::Nhwc})
    for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16}) {
      const TensorDesc in = dense(DType::UInt8, from, kPages, Memory::Pageable);
      Op op = Normalize{.mean = mean, .std = std, .to = to, .layout = Layout::Nchw};
      if (kernel.op == LayoutOp::name) op = LayoutOp{.to = Layout::Nchw};
      const auto signature = signature_of(kernel, op, in);
      if (!signature) continue;
      ++accepted;
      expect_right(kernel, op, *signature);
      if (HasFatalFailure()) return;
    }
  EXPECT_GE(accepted, 2);
}

class NormalizeRows : public Rows {};

/// Whole and cropped rows, from either end.
TEST_P(NormalizeRows, KeepToTheReferenceRowByRow) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  const TensorDesc in = dense(DType::UInt8, Layout::Nhwc, kLongRows, Memory::Pageable);
  Normalize op{.mean = {123.675, 116.28, 103.53}, .std = {58.395}, .layout = Layout::Nchw};
  int accepted = 0;
  for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16})
    for (const Flip flip : {Flip::None, Flip::Horizontal, Flip::Vertical})
      for (const std::int64_t width : {226, 225, 76, 64}) {
        op.to = to;
        op.flip = flip;
        op.crop = Window{.height = 16, .width = width, .top = 3, .left = {}};
        const auto signature = signature_of(kernel, op, in);
        if (!signature) continue;
        ++accepted;
        expect_right(kernel, op, *signature);
        if (HasFatalFailure()) return;
      }
  EXPECT_EQ(accepted, kernel.name == "lut" ? 12 : 36);
}

std::string test_name(const testing::TestParamInfo<Rows::ParamType>& info) {
  const auto& [kernel, target] = info.param;
  return std::string(kernel.op) + "_" + std::string(kernel.name) + "_" + target;
}

INSTANTIATE_TEST_SUITE_P(Cpu, Rows,
                         testing::Combine(testing::ValuesIn(checked_rows()),
                                          testing::ValuesIn(simd_targets())),
                         test_name);

std::vector<Kernel> checked_rows_of(const std::vector<std::string_view>& ops) {
  std::vector<Kernel> rows = checked_rows();
  std::erase_if(rows, [&](const Kernel& kernel) { return !std::ranges::count(ops, kernel.op); });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Cpu, LayoutRows,
                         testing::Combine(testing::ValuesIn(checked_rows_of({Normalize::name,
                                                                             LayoutOp::name})),
                                          testing::ValuesIn(simd_targets())),
                         test_name);

INSTANTIATE_TEST_SUITE_P(Cpu, NormalizeRows,
                         testing::Combine(testing::ValuesIn(checked_rows_of({Normalize::name})),
                                          testing::ValuesIn(simd_targets())),
                         test_name);

TEST(Kernels, EveryOpStartsWithItsReferenceAndHasOneName) {
  std::vector<std::string> seen, rows;
  for (const Kernel& kernel : cpu_rows()) {
    const bool first = seen.empty() || seen.back() != kernel.op;
    if (first) seen.emplace_back(kernel.op);
    const bool computes = kernel.op != EmptyLaunch::name;
    EXPECT_EQ(kernel.name == "reference", first && computes) << kernel.op << " " << kernel.name;
    rows.push_back(std::string(kernel.op) + "/" + std::string(kernel.name));
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("load", "resize", "crop", "flip", "layout",
                                                  "cast", "sub", "div", "normalize", "copy",
                                                  "stream", "first_touch", "launch"));
  std::ranges::sort(rows);
  EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
}

TEST(Kernels, TheComparisonSeesAWrongTail) {
  const TensorDesc desc = dense(DType::Float32, Layout::Nchw, {1, 3, 5, 7}, Memory::Pageable);
  Guarded tensor(desc);
  fill(tensor.view());
  const Tensor64 expected = to_double(tensor.view(), 0, 1);
  EXPECT_EQ(mismatch(expected, tensor.view(), 0), std::nullopt);
  reinterpret_cast<float*>(tensor.view().data)[desc.elements() - 1] += 0.5f;
  EXPECT_EQ(mismatch(expected, tensor.view(), 0.5), std::nullopt);
  EXPECT_THAT(mismatch(expected, tensor.view(), 0.4).value_or(""),
              testing::HasSubstr("element 104"));
  reinterpret_cast<float*>(tensor.view().data)[desc.elements() - 1] = NAN;
  EXPECT_THAT(mismatch(expected, tensor.view(), 1e9).value_or(""), testing::HasSubstr("nan"));
  EXPECT_TRUE(tensor.guards_intact());
  tensor.view().data[desc.bytes()] = std::byte{0};
  EXPECT_FALSE(tensor.guards_intact());
}

}  // namespace
}  // namespace normbench::kernels_test
