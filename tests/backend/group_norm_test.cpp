#include <gmock/gmock.h>

#include <cmath>

#include "backend/group_norm_testing.h"
#include "backend/kernel_testing.h"

namespace normbench::group_norm_rows_test {
namespace {

constexpr std::int64_t channels = 96;
constexpr std::int64_t numbers_of_groups[] = {1, 3, 32, channels};

/// Some shapes have one image, so that a tensor may have fewer groups than there are threads.
constexpr Shape shapes[] = {
    {1, channels, 1, 1},   {128, channels, 1, 1}, {33, channels, 7, 1},
    {1, channels, 1, 7},   {17, channels, 7, 7},  {1, channels, 7, 7},
    {1, channels, 28, 28}, {2, channels, 28, 28}, {1, channels, 112, 112},
};

constexpr RandomValues standard{Distribution::Normal, 0, 1};
constexpr RandomValues far_from_zero{Distribution::Normal, 1e4, 1};
constexpr RandomValues constant{Distribution::Uniform, 3.7, 3.7};

std::vector<Kernel> group_norm_rows() {
  std::vector<Kernel> rows = cpu_rows();
  std::erase_if(rows, [](const Kernel& kernel) {
    return kernel.op != GroupNorm::name || kernel.name == "reference";
  });
  return rows;
}

/// Checks the CPU kernels of group norm on all instruction sets, but large tensors only on the
/// default one.
void expect_right(const GroupNormCase& one) {
  constexpr std::int64_t large = 1'000'000;  // number of elements
  const GroupNormPasses passes(one);
  const auto simd = one.x.elements() < large ? simd_targets() : std::vector<std::string>{""};
  for (const Kernel& row : group_norm_rows())
    EXPECT_THAT(failures_of(row, passes, simd), testing::Each("")) << row.name;
}

/// Parameters: the dtype and the layout.
class GroupNormRows : public testing::TestWithParam<std::tuple<DType, Layout>> {
 protected:
  TensorDesc x(const Shape& shape) const {
    const auto [dtype, layout] = GetParam();
    return dense(dtype, layout, shape, Memory::Pageable);
  }
  /// Returns the number of groups for shape `index`. Over all dtypes and layouts, each shape is
  /// tested with every number of groups.
  std::int64_t groups(std::size_t index) const {
    const auto [dtype, layout] = GetParam();
    const auto form = 2 * static_cast<std::size_t>(dtype) + static_cast<std::size_t>(layout);
    return numbers_of_groups[(index + form) % std::size(numbers_of_groups)];
  }
};

TEST_P(GroupNormRows, KeepToTheReferenceOnStandardNormalValues) {
  for (std::size_t i = 0; i < std::size(shapes); ++i)
    expect_right({.x = x(shapes[i]), .groups = groups(i), .values = standard});
}

/// If the mean is far from 0, a variance that is computed in float32 as E[x^2] - E[x]^2 is wrong.
/// The shape with the largest planes is left out to save time.
TEST_P(GroupNormRows, KeepToTheReferenceOnConstantValuesAndFarFromZero) {
  for (std::size_t i = 0; i + 1 < std::size(shapes); ++i)
    for (const RandomValues& values : {constant, far_from_zero})
      expect_right({.x = x(shapes[i]), .groups = groups(i), .values = values});
}

/// Tests plane sizes just below and above those at which the CPU kernels switch to another code
/// path.
TEST_P(GroupNormRows, KeepToTheReferenceWhereTheWayOfWorkingChanges) {
  constexpr std::int64_t groups_in_three_images = 7;
  for (const std::int64_t pixels : {63, 64, 65, 1024, 1025, 3000, 5461, 5462, 10922, 10923}) {
    const Shape shape{3, 3 * groups_in_three_images, 1, pixels};
    expect_right({.x = x(shape), .groups = groups_in_three_images, .values = standard});
  }
}

/// A NaN in x makes the results of its group NaN, but not those of other groups.
TEST_P(GroupNormRows, KeepNaN) {
  const GroupNorm op{.groups = 2, .affine = false};
  const TensorDesc desc = x({1, 4, 9, 9});
  const Signature signature{.in = {desc}, .out = infer(Op(op), std::vector{desc})};
  Guarded in(desc), y(signature.out[0]), mean(signature.out[1]), rstd(signature.out[2]);
  Tensor64 values{.shape = desc.shape, .values = std::vector<double>(4 * 81, 1.5)};
  values.values[100] = NAN;
  from_double(values, in.view(), 0);
  for (const Kernel& row : group_norm_rows()) {
    const std::vector<View> from{in.view()}, to{y.view(), mean.view(), rstd.view()};
    const auto queue = make_cpu_backend()->make_queue(1, nullptr);
    row.prepare(op, signature)(*queue, from, to, {});
    for (const View& view : {mean.view(), rstd.view()}) {
      const auto* found = reinterpret_cast<const float*>(view.data);
      EXPECT_TRUE(std::isnan(found[0])) << row.name;
      EXPECT_FALSE(std::isnan(found[1])) << row.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, GroupNormRows,
                         testing::Combine(testing::Values(DType::Float32, DType::Float16,
                                                          DType::BFloat16),
                                          testing::Values(Layout::Nchw, Layout::Nhwc)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", name_of(std::get<0>(info.param)),
                                              name_of(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace normbench::group_norm_rows_test
