/// The instruction sets that the CPU's kernels are compiled for, and which of them is in use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// Those that this build has and this CPU can run, best first, as Highway calls them: AVX3_DL
/// (AVX-512 with VBMI), AVX3 (AVX-512), AVX2, SSE4, …, last the portable one (SCALAR or EMU128).
std::vector<std::string> simd_targets();

/// Those that this build has but this CPU cannot run, best first.
std::vector<std::string> missing_simd_targets();

/// Those that the same source is compiled to elsewhere: "NEON (of Arm CPUs)".
std::string_view foreign_simd();

/// The one that kernels prepared now use: the best, unless use_simd said otherwise.
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
