/// The instruction sets that the CPU's kernels are compiled for, and which of them is in use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// The targets of this build that this CPU can run, best first, by Highway's names: AVX3_DL
/// (AVX-512 with VBMI), AVX3 (AVX-512), AVX2, SSE4, …, last the portable one (SCALAR or EMU128).
std::vector<std::string> simd_targets();

/// The targets of this build that this CPU cannot run, best first.
std::vector<std::string> missing_simd_targets();

/// The targets that builds for other CPUs have: "NEON (of Arm CPUs)".
std::string_view foreign_simd();

/// The target that kernels prepared now use: the best one, unless use_simd chose another.
std::string simd_in_use();

/// Kernels prepared from now on use this one, in the whole process. Call it while none runs. Throws
/// Invalid for one that is unknown, or that this CPU cannot run.
void use_simd(std::string_view target);

/// While it lives, kernels use this instruction set; then again the one that was in use.
class ForcedSimd {
 public:
  explicit ForcedSimd(std::string_view target);
  ~ForcedSimd();
  ForcedSimd(const ForcedSimd&) = delete;
  ForcedSimd& operator=(const ForcedSimd&) = delete;

 private:
  const std::int64_t before_;  // Highway's bit of it
};

}  // namespace normbench
