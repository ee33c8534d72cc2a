#include <deque>

#include "backend/cpu/simd_targets.h"
#include "backend/fenced.h"
#include "backend/kernel_testing.h"
#include "measure/selftest/cases.h"

namespace normbench::kernel_fences_test {
namespace {

/// Runs a kernel once on tensors that are made by Tensor(desc, arguments...). Returns the bytes of
/// the outputs.
template <class Tensor, class... Arguments>
std::vector<std::byte> outputs_of(const Kernel& kernel, const Op& op, const Signature& s,
                                  Arguments... arguments) {
  std::deque<Tensor> tensors;
  const auto views_of = [&](const std::vector<TensorDesc>& descs) {
    std::vector<View> views;
    for (const TensorDesc& desc : descs)
      views.push_back(tensors.emplace_back(desc, arguments...).view());
    return views;
  };
  const std::vector<View> in = views_of(s.in), out = views_of(s.out);
  std::vector<std::byte> scratch(kernel.scratch(op, s));
  unsigned seed = 1;
  for (const View& view : in) fill(view, seed++);
  const auto queue = make_cpu_backend()->make_queue(1, nullptr);
  kernel.prepare(op, s)(*queue, in, out, {.data = scratch.data(), .desc = {}});
  std::vector<std::byte> bytes;
  for (const View& view : out) bytes.insert(bytes.end(), view.data, view.data + view.desc.bytes());
  return bytes;
}

/// Runs a kernel on tensors that lie directly before or behind a page without access. An access to
/// such a page ends the process. The outputs must equal those in ordinary memory.
void expect_kept_in(const Kernel& kernel, const Op& op, const Signature& s) {
  SCOPED_TRACE(describe(s.in[0]) + " -> " + describe(s.out[0]));
  const std::vector<std::byte> expected = outputs_of<Guarded>(kernel, op, s);
  for (const auto side : {Fenced::Side::Before, Fenced::Side::Behind})
    ASSERT_EQ(outputs_of<Fenced>(kernel, op, s, side), expected);
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
          for (const Signature& s : selftest::signatures_of(op, in, Memory::Pageable)) {
            if (!kernel.accepts(op, s)) continue;
            ++runs;
            expect_kept_in(kernel, op, s);
            if (HasFatalFailure()) return;
          }
        }
  EXPECT_GE(runs, 6);
}

/// Returns the CPU kernels that write outputs and whose op has a reference, without the reference
/// kernels themselves.
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
