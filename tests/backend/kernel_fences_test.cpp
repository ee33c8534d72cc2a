#include "backend/cpu/simd_targets.h"
#include "backend/fenced.h"
#include "backend/kernel_testing.h"
#include "measure/selftest/cases.h"

namespace normbench::kernel_fences_test {
namespace {

/// Runs a row between pages that end the process when they are touched: the same values as
/// anywhere.
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
    for (const auto& dtype : words(DType{}))
      for (const auto& layout : words(Layout{}))
        for (const Op& op : samples(kernel.op, shape)) {
          const TensorDesc in = dense(dtype.value, layout.value, shape, Memory::Pageable);
          const auto signature = selftest::signature_of(op, in, Memory::Pageable);
          if (!signature || !kernel.accepts(op, *signature)) continue;
          ++runs;
          expect_kept_in(kernel, op, *signature);
          if (HasFatalFailure()) return;
        }
  EXPECT_GE(runs, 6);
}

/// Rows that write outputs, and whose values have a reference.
std::vector<Kernel> fenced_rows() {
  std::vector<Kernel> rows = cpu_rows();
  std::erase_if(rows, [](const Kernel& kernel) {
    const auto ops = samples(kernel.op, {1, 1, 1, 1});
    return kernel.name == "reference" || ops.empty() || !has_reference(ops[0]) ||
           passes_through(ops[0]);
  });
  return rows;
}

std::string test_name(const testing::TestParamInfo<Fences::ParamType>& info) {
  const auto& [kernel, target] = info.param;
  return std::string(kernel.op) + "_" + std::string(kernel.name) + "_" + target;
}

INSTANTIATE_TEST_SUITE_P(Cpu, Fences,
                         testing::Combine(testing::ValuesIn(fenced_rows()),
                                          testing::ValuesIn(simd_targets())),
                         test_name);

}  // namespace
}  // namespace normbench::kernel_fences_test
