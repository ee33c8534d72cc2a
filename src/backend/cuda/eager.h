/// Element-wise kernels as eager frameworks have them: one pass per operation, one element a
/// thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/enums.h"

namespace normbench::cuda {

struct CastArguments {
  DType from = DType::UInt8, to = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in` where the dtypes are the same
  std::int64_t elements = 0;
};

/// One constant per channel; the channel of element i is i / inner % channels.
struct BroadcastArguments {
  DType dtype = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in`
  std::int64_t elements = 0;
  const float* constants = nullptr;  // in device memory
  std::int64_t inner = 1, channels = 1;
};

cudaError_t launch_cast(cudaStream_t stream, const CastArguments& arguments);
/// x - constant, and x / constant, in float32 and rounded to the dtype.
cudaError_t launch_sub(cudaStream_t stream, const BroadcastArguments& arguments);
cudaError_t launch_div(cudaStream_t stream, const BroadcastArguments& arguments);

}  // namespace normbench::cuda
