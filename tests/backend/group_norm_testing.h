/// Compares group norm kernels with the reference in double precision, on inputs that a test
/// chooses.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "backend/cpu/simd_targets.h"
#include "measure/selftest/cases.h"
#include "measure/selftest/trial.h"

namespace normbench {

/// The input x and its number of groups, and how x is filled.
struct GroupNormCase {
  TensorDesc x;
  std::int64_t groups = 1;
  RandomValues values = {.distribution = Distribution::Normal, .first = 0, .second = 1};  // of x
};

/// A forward pass, a backward pass, and a backward pass that adds to older gradients. Each pass has
/// its own inputs.
class GroupNormPasses {
 public:
  struct Pass {
    GroupNorm op;
    std::vector<selftest::Input> inputs;
    Signature signature;
    std::vector<selftest::Exact> exact;
  };

  /// Makes the passes with tensors in this memory.
  explicit GroupNormPasses(const GroupNormCase& of, Memory memory = Memory::Pageable)
      : memory_(memory) {
    const selftest::Input x = random(of.x, of.values),
                          gamma = random(of_channels(of.x.shape), {Distribution::Normal, 1, 0.1}),
                          beta = random(of_channels(of.x.shape), unit_);
    add({.groups = of.groups}, {x, gamma, beta});
    const selftest::Input dy = random(of.x, unit_), mean = rounded(all[0].exact[1].values),
                          rstd = rounded(all[0].exact[2].values);
    const GroupNorm backward{.groups = of.groups, .direction = Direction::Backward};
    add(backward, {dy, x, gamma, mean, rstd});
    GroupNorm accumulating = backward;
    accumulating.accumulate = true;
    add(accumulating, {dy, x, gamma, mean, rstd, random(of.x, unit_), beta, gamma});
  }

  std::vector<Pass> all;

 private:
  static constexpr RandomValues unit_{Distribution::Normal, 0, 1};

  static TensorDesc parameter(const Shape& shape) {
    return dense(DType::Float32, Layout::Nchw, shape, Memory::Pageable);
  }
  selftest::Input random(const TensorDesc& desc, const RandomValues& values) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
    Source{.dtype = desc.dtype, .layout = desc.layout, .shape = desc.shape, .values = values}.fill(
        {bytes.data(), desc}, ++seed_);
    return {desc, std::move(bytes)};
  }
  selftest::Input random(const Shape& shape, const RandomValues& values) {
    return random(parameter(shape), values);
  }
  static selftest::Input rounded(const Tensor64& values) {
    const TensorDesc desc = parameter(values.shape);
    std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
    from_double(values, {bytes.data(), desc}, 0);
    return {desc, std::move(bytes)};
  }

  void add(const GroupNorm& op, std::vector<selftest::Input> inputs) {
    std::vector<TensorDesc> in;
    std::vector<Known> known;
    for (const selftest::Input& input : inputs) {
      in.push_back(input.desc(memory_));
      known.push_back({input.values(), input.accuracy()});
    }
    Signature signature = selftest::signature_of(op, std::move(in), memory_).value();
    auto exact = selftest::exact_outputs(op, known, signature);
    all.push_back({op, std::move(inputs), std::move(signature), std::move(exact)});
  }

  const Memory memory_;
  std::uint64_t seed_ = 0;
};

/// Returns one text for each pass: what is wrong with the kernel row in these settings (such as
/// numbers of threads and offsets of buffers), or "" if nothing is. The row must stay within the
/// error bound of the op and must give the same bits in all settings. It must not write outside of
/// its tensors.
inline std::vector<std::string> failures_of(selftest::Lab& lab, const Kernel& row,
                                            const GroupNormPasses& passes,
                                            const std::vector<selftest::Setting>& settings) {
  std::vector<std::string> failures;
  for (const auto& [pass, inputs, signature, exact] : passes.all) {
    const Op op = pass;
    std::int64_t runs = 0;
    const selftest::Trial trial{row, op, inputs, signature, &exact};
    const auto failure = row.accepts(op, signature)
                             ? selftest::run_trial(lab, trial, settings, runs).failure
                             : "not accepted";
    failures.push_back(failure ? selftest::in_words(op, signature) + ": " + *failure : "");
  }
  return failures;
}

/// Runs a CPU kernel on the instruction sets `simd`, with 1, 2 and 3 threads, and with buffers at
/// several offsets. Returns one text for each pass: what is wrong, or "" if nothing is.
inline std::vector<std::string> failures_of(const Kernel& row, const GroupNormPasses& passes,
                                            const std::vector<std::string>& simd = simd_targets()) {
  Backends cpu;
  cpu.list.push_back(make_cpu_backend());
  selftest::Lab lab(cpu, *cpu.list[0], {.simd = simd, .threads = 2});
  return failures_of(lab, row, passes, selftest::settings(false, false, lab.equipment));
}

}  // namespace normbench
