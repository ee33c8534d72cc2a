/// The instruction sets that the CPU kernels are compiled for, and which one is in use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// Returns the targets (instruction sets) of this build that this CPU can run, best first. The
/// names are Highway's: AVX3_DL (AVX-512 with VBMI), AVX3 (AVX-512), AVX2, SSE4, ... The portable
/// target (SCALAR or EMU128) is last.
std::vector<std::string> simd_targets();

/// Returns the targets of this build that this CPU cannot run, best first.
std::vector<std::string> missing_simd_targets();

/// Returns the targets that exist only in builds for another CPU architecture. In a build for x86
/// the result is "NEON (of Arm CPUs)".
std::string_view foreign_simd();

/// Returns the target for which kernels are prepared: the target that use_simd() was last called
/// with, or, if there was no call, the best target that this CPU can run.
std::string simd_in_use();

/// Makes kernels that are prepared from now on use `target`, in the whole process. Call this while
/// no kernel runs. Throws Invalid if the target is unknown or this CPU cannot run it.
void use_simd(std::string_view target);

/// Makes kernels use an instruction set while the object lives. The destructor restores the
/// previous one.
class ForcedSimd {
 public:
  explicit ForcedSimd(std::string_view target);
  ~ForcedSimd();
  ForcedSimd(const ForcedSimd&) = delete;
  ForcedSimd& operator=(const ForcedSimd&) = delete;

 private:
  const std::int64_t before_;  // Highway's bit of the previous target
};

}  // namespace normbench
