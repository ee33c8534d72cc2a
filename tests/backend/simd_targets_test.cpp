#include "backend/cpu/simd_targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "backend/cpu/stream_simd.h"
#include "backend/kernel_testing.h"
#include "core/issue.h"

namespace normbench::simd_targets_test {
namespace {

std::string mistake(std::string_view target) {
  try {
    use_simd(target);
  } catch (const Invalid& invalid) {
    return invalid.what();
  }
  return "";
}

TEST(SimdTargets, TheBestIsInUseAndWhatEveryCpuHasIsAlwaysThere) {
  const auto targets = simd_targets();
  EXPECT_EQ(simd_in_use(), targets.front());
  // Newer versions of Highway leave out targets below the baseline of the compiler. So the last
  // target differs between versions.
  EXPECT_THAT(targets.back(), testing::AnyOf("SCALAR", "EMU128", "SSE2", "NEON_WITHOUT_AES"));
  for (const std::string& target : missing_simd_targets())
    EXPECT_THAT(targets, testing::Not(testing::Contains(target)));
}

TEST(SimdTargets, EachCanBeForcedAndAllAreStillListed) {
  const auto targets = simd_targets();
  for (const std::string& target : targets) {
    const ForcedSimd forced(target);
    EXPECT_EQ(simd_in_use(), target);
    EXPECT_EQ(simd_targets(), targets);
  }
  EXPECT_EQ(simd_in_use(), targets.front());
}

TEST(SimdTargets, AreForcedWithinEachOther) {
  const auto targets = simd_targets();
  const ForcedSimd outer(targets.back());
  {
    const ForcedSimd inner(targets.front());
    EXPECT_EQ(simd_in_use(), targets.front());
  }
  EXPECT_EQ(simd_in_use(), targets.back());
}

TEST(SimdTargets, MistakesNameWhatIsKnown) {
  const std::string known = fmt::format("(known: {})", fmt::join(simd_targets(), ", "));
  EXPECT_EQ(mistake("AVX9"), "unknown instruction set \"AVX9\" " + known);
  EXPECT_EQ(mistake("avx2"), "unknown instruction set \"avx2\" " + known);
  for (const std::string& target : missing_simd_targets())
    EXPECT_EQ(mistake(target),
              fmt::format("instruction set {} is not supported by this CPU {}", target, known));
  EXPECT_EQ(simd_in_use(), simd_targets().front());
}

TEST(SimdTargets, AreChosenForABackend) {
  const ForcedSimd kept(simd_in_use());
  make_backends({.simd = simd_targets().back()});
  EXPECT_EQ(simd_in_use(), simd_targets().back());
  make_backends({});
  EXPECT_EQ(simd_in_use(), simd_targets().back());
  EXPECT_THROW(make_backends({.simd = "AVX9"}), Invalid);
}

// The CPU kernels of the op `stream` are not compiled for targets (instruction sets) with VBMI,
// because VBMI would change none of their instructions. For such a target, they use the code of the
// next target.
TEST(SimdTargets, WhatIsNotCompiledForOneTakesTheNext) {
  for (const std::string& target : simd_targets()) {
    const ForcedSimd forced(target);
    if (target.starts_with("AVX3")) {
      EXPECT_EQ(vector_bytes(), 64) << target;
    } else if (target.starts_with("AVX2")) {
      EXPECT_EQ(vector_bytes(), 32) << target;
    } else if (target.starts_with("SS")) {
      EXPECT_EQ(vector_bytes(), 16) << target;
    }
  }
}

/// Returns x * a + b as normalize computes it on `target`, for values where one rounding and two
/// roundings give different floats.
float normalized(const std::string& target) {
  const ForcedSimd forced(target);
  const TensorDesc desc = dense(DType::Float32, Layout::Nchw, {1, 1, 1, 1}, Memory::Pageable);
  Guarded in(desc), out(desc);
  *reinterpret_cast<float*>(in.view().data) = 1 + 0x1p-12f;
  const Normalize op{.mean = {1.0}, .std = {1.0}, .to = DType::Float32, .scale = 1 + 0x1p-12};
  launch(cpu_row("normalize", "fused"), op, in.view(), out.view(), 1);
  return *reinterpret_cast<float*>(out.view().data);
}

// AVX2 has the fused multiplication and addition. Older targets round the product first.
TEST(SimdTargets, DecideWhatKernelsCompute) {
  for (const std::string& target : simd_targets()) {
    if (target.starts_with("AVX")) {
      EXPECT_EQ(normalized(target), 0x1p-11f + 0x1p-24f) << target;
    } else if (target.starts_with("SS")) {
      EXPECT_EQ(normalized(target), 0x1p-11f) << target;
    }
  }
}

}  // namespace
}  // namespace normbench::simd_targets_test
