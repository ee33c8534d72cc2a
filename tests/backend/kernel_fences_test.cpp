#include "backend/cpu/simd_targets.h"
#include "backend/fenced.h"
#include "backend/kernel_variants.h"

namespace normbench::kernel_fences_test {
namespace {

/// Runs a row between pages that end the process when they are touched: the same values as anywhere.
void expect_kept_in(const Kernel& kernel, const Op& op, const Signature& s) {
  SCOPED_TRACE(describe(s.in[0]) + " -> " + describe(s.out[0]));
  Guarded plain(s.in[0]), expected(s.out[0]);
  fill(plain.view());
  launch(kernel, op, plain.view(), expected.view(), 1);
  for (const auto side : {Fenced::Side::Before, Fenced::Side::Behind}) {
    const Fenced in(s.in[0], side), out(s.out[0], side);
    fill(in.view());
    launch(kernel, op, in.view(), out.view(), 1);
    const std::vector<std::byte> payload = expected.payload();
    ASSERT_EQ(std::memcmp(out.view().data, payload.data(), payload.size()), 0);
  }
}

class Fences : public testing::TestWithParam<std::tuple<Kernel, std::string>> {};

TEST_P(Fences, AreNotTouched) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  int runs = 0;
  for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{2, 3, 5, 7}, Shape{1, 4, 3, 67}})
    for (const TensorDesc& in : inputs(shape))
      for (const Op& op : variants(kernel.op, shape)) {
        const auto signature = signature_of(kernel, op, in);
        if (!signature) continue;
        ++runs;
        expect_kept_in(kernel, op, *signature);
        if (HasFatalFailure()) return;
      }
  EXPECT_GE(runs, 6);
}

std::string test_name(const testing::TestParamInfo<Fences::ParamType>& info) {
  const auto& [kernel, target] = info.param;
  return std::string(kernel.op) + "_" + std::string(kernel.name) + "_" + target;
}

INSTANTIATE_TEST_SUITE_P(Cpu, Fences,
                         testing::Combine(testing::ValuesIn(checked_rows()),
                                          testing::ValuesIn(simd_targets())),
                         test_name);

}  // namespace
}  // namespace normbench::kernel_fences_test
