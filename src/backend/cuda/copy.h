/// A copy by the device's multiprocessors.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace normbench::cuda {

/// Submits a kernel that copies `bytes` bytes between any memory that the device reaches; the two
/// ranges do not overlap. 16 bytes at a time where `to` and `from` are equally far past a multiple
/// of 16, else 4 bytes or single ones.
cudaError_t launch_copy(cudaStream_t stream, void* to, const void* from, std::int64_t bytes);

}  // namespace normbench::cuda
