#include <gmock/gmock.h>

#include "backend/instruction_sets.h"
#include "backend/kernel_testing.h"

namespace normbench {
namespace {

const Shape kPlanes{3, 4, 8, 64};  // tried with teams: several rows for each thread
const std::vector<Shape> kShapes{{1, 1, 1, 1},   {1, 3, 1, 1},  {2, 3, 5, 7},  {1, 3, 17, 33},
                                 kPlanes,        {1, 2, 3, 15}, {1, 3, 2, 16}, {1, 1, 3, 17},
                                 {1, 3, 1, 31},  {1, 1, 2, 32}, {2, 1, 1, 63}, {1, 5, 2, 65},
                                 {1, 3, 2, 127}, {1, 3, 1, 300}};
const Shape kLarge{1, 1, 1, 1000003};
const Shape kManyRows{2, 3, 61, 67};

std::vector<double> per_channel(std::int64_t channels, double first, double step) {
  std::vector<double> values;
  for (std::int64_t c = 0; c < channels; ++c)
    values.push_back(first + step * static_cast<double>(c));
  return values;
}

std::vector<Op> normalizations(const Shape& s) {
  const auto mean = per_channel(s.c, 123.675, -7.3), std = per_channel(s.c, 58.395, 1.7);
  const Window window{.height = (s.h + 1) / 2, .width = (s.w + 2) / 3, .top = {}, .left = {}};
  std::vector<Op> ops;
  for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16}) {
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to});
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to, .layout = Layout::Nchw});
    ops.push_back(Normalize{.mean = mean,
                            .std = std,
                            .to = to,
                            .scale = 1 / 255.0,
                            .layout = Layout::Nhwc,
                            .constants = Constants::PerCall});
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const Flip flip : {Flip::Horizontal, Flip::Both})
        ops.push_back(Normalize{.mean = {0.5},
                                .std = {0.25},
                                .to = to,
                                .layout = layout,
                                .crop = flip == Flip::Both ? std::optional(window) : std::nullopt,
                                .flip = flip});
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to, .crop = window});
    ops.push_back(Normalize{.mean = mean, .std = std, .to = to, .flip = Flip::Vertical});
  }
  return ops;
}

/// The op's variants that are worth trying on a shape.
std::vector<Op> variants(std::string_view name, const Shape& s) {
  const auto constants = per_channel(s.c, 123.675, -7.3);
  if (name == Normalize::name) return normalizations(s);
  if (name == Cast::name)
    return {Cast{.to = DType::UInt8}, Cast{.to = DType::Float16}, Cast{.to = DType::BFloat16},
            Cast{.to = DType::Float32}};
  if (name == Sub::name)
    return {Sub{.mean = constants}, Sub{.mean = {7.25}, .constants = Constants::PerCall}};
  if (name == Div::name)
    return {Div{.std = constants}, Div{.std = {7.25}, .constants = Constants::PerCall}};
  if (name == LayoutOp::name) return {LayoutOp{.to = Layout::Nchw}, LayoutOp{.to = Layout::Nhwc}};
  if (name == FlipOp::name)
    return {FlipOp{.axis = Flip::Horizontal}, FlipOp{.axis = Flip::Vertical},
            FlipOp{.axis = Flip::Both}};
  if (name == Crop::name)
    return {Crop{.window = {.height = (s.h + 1) / 2, .width = (s.w + 2) / 3, .top = 0, .left = {}}},
            Crop{.window = {.height = 1, .width = s.w, .top = s.h - 1, .left = 0}}};
  if (name == Resize::name)
    return {Resize{.height = 2 * s.h + 1, .width = s.w + 3},
            Resize{.height = (s.h + 1) / 2, .width = (s.w + 2) / 3}};
  if (name == Copy::name) return {Copy{}};
  return {};
}

std::vector<TensorDesc> inputs(const Shape& shape) {
  std::vector<TensorDesc> all;
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{}))
      all.push_back(dense(dtype.value, layout.value, shape, Memory::Pageable));
  return all;
}

/// Nothing, when the op does not take this input or the row leaves it to another one.
std::optional<Signature> signature_of(const Kernel& kernel, const Op& op, const TensorDesc& in) {
  try {
    Signature s{.in = {in}, .out = infer(op, std::span(&in, 1))};
    return kernel.accepts(op, s) ? std::optional(s) : std::nullopt;
  } catch (const Invalid&) {
    return std::nullopt;
  }
}

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

class Rows : public testing::TestWithParam<std::tuple<Kernel, std::int64_t>> {};

TEST_P(Rows, KeepToTheReference) {
  const auto& [kernel, target] = GetParam();
  const ForcedInstructionSet forced(target);
  int accepted = 0;
  for (const Shape& shape : kShapes) {
    accepted += expect_all_right(kernel, shape);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(accepted, 2 * static_cast<int>(kShapes.size()));
}

TEST_P(Rows, KeepToTheReferenceWhenLarge) {
  const auto& [kernel, target] = GetParam();
  const ForcedInstructionSet forced(target);
  const Shape shape = kernel.op == Resize::name ? kManyRows : kLarge;
  const TensorDesc in = dense(kernel.name == "lut" ? DType::UInt8 : DType::Float32, Layout::Nhwc,
                              shape, Memory::Pageable);
  const auto signature = signature_of(kernel, variants(kernel.op, shape)[0], in);
  ASSERT_TRUE(signature);
  expect_right(kernel, variants(kernel.op, shape)[0], *signature);
}

/// Rows whose values have a reference. `load` has tests of its own.
std::vector<Kernel> checked_rows() {
  std::vector<Kernel> rows;
  for (const Kernel& kernel : cpu_rows())
    if (!variants(kernel.op, {1, 1, 1, 1}).empty() && kernel.name != "reference")
      rows.push_back(kernel);
  return rows;
}

std::string test_name(const testing::TestParamInfo<Rows::ParamType>& info) {
  const auto& [kernel, target] = info.param;
  return std::string(kernel.op) + "_" + std::string(kernel.name) + "_" + hwy::TargetName(target);
}

INSTANTIATE_TEST_SUITE_P(Cpu, Rows,
                         testing::Combine(testing::ValuesIn(checked_rows()),
                                          testing::ValuesIn(instruction_sets())),
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
}  // namespace normbench
