/// The kernels that move elements without changing them.
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/fused_task.h"

namespace normbench::cuda {

/// Submits the move to `stream`. Both sides have the same dtype.
cudaError_t launch_move(cudaStream_t stream, const FusedTask& task);

}  // namespace normbench::cuda
