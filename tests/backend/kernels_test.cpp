#include <gmock/gmock.h>

#include <map>
#include <set>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"
#include "measure/selftest/cases.h"
#include "measure/selftest/selftest.h"

namespace normbench::kernels_test {
namespace {

class RowsOf : public testing::TestWithParam<std::string> {};

/// Runs the trials of `normbench selftest` on every instruction set of this CPU.
TEST_P(RowsOf, KeepToTheReference) {
  Backends cpu;
  cpu.list.push_back(make_cpu_backend());
  const selftest::PlaceFinding found =
      selftest::run(cpu, {.glob = GetParam(), .simd = simd_targets()}).places.at(0);
  EXPECT_THAT(found.rows, testing::Not(testing::IsEmpty()));
  for (const selftest::RowFinding& row : found.rows)
    EXPECT_EQ(row.failure, "") << row.op << "/" << row.kernel;
}

std::vector<std::string> ops_with_rows() {
  std::vector<std::string> ops;
  for (const Kernel& kernel : cpu_rows())
    if (kernel.name != "reference" && kernel.op != Load::name && kernel.op != Save::name &&
        std::ranges::find(ops, kernel.op) == ops.end())
      ops.emplace_back(kernel.op);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Cpu, RowsOf, testing::ValuesIn(ops_with_rows()),
                         [](const auto& info) { return info.param; });

/// An input and an output: true if the input is YCbCr, and both dtypes.
using Kind = std::tuple<bool, DType, DType>;
/// For each kind: the accepted pairs of input and output layout.
using Forms = std::map<Kind, std::set<std::pair<Layout, Layout>>>;

/// Returns the dtypes and layouts of the op's samples that the kernel accepts.
Forms accepted_forms(const Kernel& kernel) {
  Forms forms;
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{})) {
      const TensorDesc in = dense(dtype.value, layout.value, {2, 3, 5, 7}, Memory::Pageable);
      for (const Op& op : samples(kernel.op, in.shape))
        for (const Signature& s : selftest::signatures_of(op, in, Memory::Pageable))
          if (kernel.accepts(op, s))
            forms[{has_ycbcr(s), in.dtype, s.out[0].dtype}].insert({in.layout, s.out[0].layout});
    }
  return forms;
}

class AcceptedForms : public testing::TestWithParam<std::string> {};

/// Returns the forms whose input is YCbCr, or the others.
Forms forms_of(Forms all, bool is_ycbcr) {
  std::erase_if(all, [&](const auto& form) { return std::get<bool>(form.first) != is_ycbcr; });
  return all;
}

/// If a kernel row accepts a pair of dtypes, it must accept the pair in all layouts in which the
/// op's reference row accepts it. The op's default row must accept everything that the reference
/// row accepts, but YCbCr images may have a default row of their own. Both rules are checked on
/// every instruction set.
TEST_P(AcceptedForms, AreThoseOfTheReference) {
  const ForcedSimd forced(GetParam());
  Forms all;
  std::map<std::string_view, Forms> wanted, found;  // of YCbCr, by op
  int row = 0;                                      // 0: the op's reference row, 1: its default row
  std::string_view op;
  for (const Kernel& kernel : cpu_rows()) {
    if (samples(kernel.op, {1, 1, 1, 1}).empty()) continue;
    row = kernel.op == std::exchange(op, kernel.op) ? row + 1 : 0;
    const Forms forms = accepted_forms(kernel);
    if (row == 0) all = forms;
    EXPECT_THAT(forms, testing::Not(testing::IsEmpty())) << op << "/" << kernel.name;
    if (Forms of_ycbcr = forms_of(forms, true); !of_ycbcr.empty())
      (row == 0 ? wanted : found)[op].merge(of_ycbcr);
    if (row == 1) {
      EXPECT_EQ(forms_of(forms, false), forms_of(all, false)) << op << "/" << kernel.name;
    }
    for (const auto& [dtypes, layouts] : forms)
      EXPECT_EQ(layouts, all[dtypes]) << op << "/" << kernel.name;
  }
  EXPECT_EQ(found, wanted);
}

INSTANTIATE_TEST_SUITE_P(Cpu, AcceptedForms, testing::ValuesIn(simd_targets()),
                         [](const auto& info) { return info.param; });

/// `shift` is the start of the buffers, in elements past a cache line. `threads` is the size of the
/// team.
struct Setting {
  int shift, threads;
};

/// Expects the kernel's result to be within the error bound of the op and to have the same bits in
/// every setting. Also expects no stray writes.
void expect_right(const Kernel& kernel, const Op& op, const Signature& s) {
  SCOPED_TRACE(describe(s.in[0]) + " -> " + describe(s.out[0]));
  std::vector<std::byte> first;
  for (const auto [shift, threads] : {Setting{0, 1}, {1, 1}, {0, 2}, {1, 3}}) {
    Guarded in(s.in[0], shift), out(s.out[0], 3 * shift);
    fill(in.view());
    launch(kernel, op, in.view(), out.view(), threads);
    if (first.empty()) {
      const Tensor64 expected = expected_of(op, in.view(), s.out[0]);
      ASSERT_EQ(mismatch(expected, out.view(), bounds_of(op, in.view(), s.out[0])), std::nullopt);
      first = out.payload();
    }
    ASSERT_TRUE(out.guards_intact()) << threads << " threads, shift " << shift;
    ASSERT_TRUE(out.payload() == first) << threads << " threads, shift " << shift;
  }
}

class NormalizeRows : public testing::TestWithParam<std::tuple<Kernel, std::string>> {};

/// Tests the kernels on whole and cropped rows of pixels, also mirrored ones. The sizes of planes
/// are multiples of a cache line, but some rows of pixels start within a line.
TEST_P(NormalizeRows, KeepToTheReferenceRowByRow) {
  const auto& [kernel, target] = GetParam();
  const ForcedSimd forced(target);
  const TensorDesc in = dense(DType::UInt8, Layout::Nhwc, {1, 3, 32, 226}, Memory::Pageable);
  Normalize op{.mean = {123.675, 116.28, 103.53}, .std = {58.395}, .layout = Layout::Nchw};
  int accepted = 0;
  for (const DType to : {DType::Float32, DType::Float16, DType::BFloat16})
    for (const Flip flip : {Flip::None, Flip::Horizontal, Flip::Vertical})
      for (const std::int64_t width : {226, 225, 76, 64}) {
        op.to = to;
        op.flip = flip;
        op.crop = {Window{.height = 16, .width = width, .top = 3, .left = {}}};
        const Signature signature{.in = {in}, .out = op.infer(std::span(&in, 1))};
        if (!kernel.accepts(op, signature)) continue;
        ++accepted;
        expect_right(kernel, op, signature);
        if (HasFatalFailure()) return;
      }
  EXPECT_EQ(accepted, kernel.name == "lut" ? 12 : 36);
}

std::vector<Kernel> normalize_rows() {
  std::vector<Kernel> rows = cpu_rows();
  std::erase_if(rows, [](const Kernel& kernel) {
    return kernel.op != Normalize::name || kernel.name == "reference" || kernel.name == "ycc";
  });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Cpu, NormalizeRows,
                         testing::Combine(testing::ValuesIn(normalize_rows()),
                                          testing::ValuesIn(simd_targets())),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param);
                         });

/// Returns the ops whose input and output are both pageable memory, without those that pass their
/// input through.
std::vector<std::string> ops_of_pageable_memory() {
  const TensorDesc in = dense(DType::Float32, Layout::Nchw, {2, 3, 5, 7}, Memory::Pageable);
  std::vector<std::string> names;
  for_each_op([&]<class T>(std::type_identity<T>) {
    const std::vector<Op> ops = samples(T::name, in.shape);
    if (ops.empty() || passes_through(ops[0])) return;
    try {
      if (infer(ops[0], std::vector{in})[0].memory == in.memory) names.emplace_back(T::name);
    } catch (const Invalid&) {  // the op needs device memory
    }
  });
  return names;
}

TEST(Kernels, EveryOpStartsWithItsReferenceAndHasOneName) {
  std::vector<std::string> seen, rows;
  for (const Kernel& kernel : cpu_rows()) {
    const bool first = seen.empty() || seen.back() != kernel.op;
    if (first) seen.emplace_back(kernel.op);
    const bool computes =
        kernel.op != EmptyLaunch::name && kernel.op != Compute::name && kernel.op != Save::name;
    EXPECT_EQ(kernel.name == "reference", first && computes) << kernel.op << " " << kernel.name;
    rows.push_back(std::string(kernel.op) + "/" + std::string(kernel.name));
  }
  EXPECT_THAT(seen, testing::IsSupersetOf(ops_of_pageable_memory()));
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
