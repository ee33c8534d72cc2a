/// The body of the CUDA kernel of the op `compute`: arithmetic that takes time and has no useful
/// result.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "backend/cuda/grid.h"
#include "backend/cuda/kernels.h"

namespace normbench::cuda {

/// A chain of fused multiply-adds. Each needs the result of the previous one.
struct BusyBody {
  std::int64_t threads;
  std::int64_t steps;
  std::byte* unused;

  static BusyBody of(const BusyArguments& arguments) {
    return {.threads = arguments.blocks * threads_per_block,
            .steps = arguments.steps,
            .unused = arguments.unused};
  }
  __host__ __device__ void operator()(std::int64_t thread) const {
    float value = static_cast<float>(thread & 1);
    for (std::int64_t i = 0; i < steps; ++i) value = fmaf(value, 0.5f, 1.0f);
    // This branch is never taken, because `value` approaches 2. The compiler does not know that.
    // Without the branch it would remove the loop.
    if (value < 0) *unused = std::byte{0};
  }
};

}  // namespace normbench::cuda
