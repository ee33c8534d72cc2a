#include "backend/cpu/simd_targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/issue.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd_targets.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

std::int64_t this_target() { return HWY_TARGET; }

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {
namespace {

HWY_EXPORT(this_target);

/// Returns the bits of the instruction sets that this CPU can run. The first call must come before
/// any instruction set is disabled.
std::int64_t runnable() {
  static const std::int64_t bits = hwy::SupportedTargets() & HWY_TARGETS;
  return bits;
}

/// Returns the set bits of `bits`, the lowest one first. A lower bit is a better instruction set.
std::vector<std::int64_t> each_of(std::int64_t bits) {
  std::vector<std::int64_t> targets;
  for (; bits != 0; bits &= bits - 1) targets.push_back(bits & -bits);
  return targets;
}

std::vector<std::string> names_of(std::int64_t bits) {
  std::vector<std::string> names;
  for (const std::int64_t target : each_of(bits)) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::int64_t target_in_use() { return HWY_DYNAMIC_DISPATCH(this_target)(); }

/// Makes kernels use `target`. The kernels of a source file that is not compiled for `target` use
/// the next best instruction set.
void use_target(std::int64_t target) noexcept {
  const std::int64_t better = target - 1, usable = runnable() & ~better;
  hwy::DisableTargets(better);
  hwy::GetChosenTarget().Update(usable);
}

}  // namespace

std::vector<std::string> simd_targets() { return names_of(runnable()); }

std::vector<std::string> missing_simd_targets() { return names_of(HWY_TARGETS & ~runnable()); }

std::string_view foreign_simd() {
  return HWY_ARCH_X86 != 0 ? "NEON (of Arm CPUs)" : "AVX-512, AVX2 and SSE (of x86 CPUs)";
}

std::string simd_in_use() { return hwy::TargetName(target_in_use()); }

void use_simd(std::string_view name) {
  const auto all = each_of(HWY_TARGETS);
  const auto target = std::ranges::find(all, name, &hwy::TargetName);
  const auto known = fmt::format("(known: {})", fmt::join(simd_targets(), ", "));
  if (target == all.end())
    throw Invalid(fmt::format("unknown instruction set \"{}\" {}", name, known));
  if ((*target & runnable()) == 0)
    throw Invalid(fmt::format("instruction set {} is not supported by this CPU {}", name, known));
  use_target(*target);
}

ForcedSimd::ForcedSimd(std::string_view target) : before_(target_in_use()) { use_simd(target); }

ForcedSimd::~ForcedSimd() { use_target(before_); }

}  // namespace normbench
#endif
