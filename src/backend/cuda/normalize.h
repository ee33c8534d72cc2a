/// The kernels that normalise in one pass.
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/fused_task.h"

namespace normbench::cuda {

/// Channels whose constants travel with the launch.
inline constexpr int most_channels = 64;

/// y = x * a[c] + b[c], one fused multiplication and addition.
struct NormalizeArguments {
  FusedTask task;
  const float* sent_a = nullptr;  // in device memory, or null: `a` and `b`
  const float* sent_b = nullptr;
  float a[most_channels] = {}, b[most_channels] = {};
};

/// Submit to `stream`, from any dtype to the one they are named after.
cudaError_t launch_normalize_float32(cudaStream_t stream, const NormalizeArguments& arguments);
cudaError_t launch_normalize_float16(cudaStream_t stream, const NormalizeArguments& arguments);
cudaError_t launch_normalize_bfloat16(cudaStream_t stream, const NormalizeArguments& arguments);

}  // namespace normbench::cuda
