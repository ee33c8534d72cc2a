/// Kernels that move bytes and compute nothing: what the device's memory allows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace normbench::cuda {

struct StreamArguments {
  const void* in = nullptr;
  std::int64_t read_bytes = 0;
  void* out = nullptr;
  std::int64_t written_bytes = 0;
  bool streaming = false;  // stores past the cache: __stcs
};

/// Submits a kernel that reads and writes in the given mix; the two ranges do not overlap. Bytes
/// before the first and after the last whole 16-byte vector are not read, and written as zeros; the
/// others get bytes without a meaning.
cudaError_t launch_stream(cudaStream_t stream, const StreamArguments& arguments);

}  // namespace normbench::cuda
