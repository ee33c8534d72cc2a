/// Memory that the CUDA runtime gives, one class of call per kind.
#pragma once

#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Memory of a kind that CUDA reaches. `device` is the current one. Throws CudaError
/// ("cudaHostAlloc(27.6 MB) failed: …").
std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes, int device);

/// Device memory taken and given back in the order of a stream's work, from a pool that keeps what
/// it once had: what caching allocators of frameworks do.
class Pool {
 public:
  explicit Pool(int device);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Freed on `stream` too, which must live longer.
  std::unique_ptr<Allocation> allocate(std::size_t bytes, cudaStream_t stream);

 private:
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace normbench::cuda
