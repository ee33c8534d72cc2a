/// The kernel that does nothing.
#pragma once

#include <cuda_runtime_api.h>

namespace normbench::cuda {

cudaError_t launch_empty(cudaStream_t stream);

/// Loads the kernel without running it: the error tells whether this build runs on this device.
cudaError_t load_empty();

}  // namespace normbench::cuda
