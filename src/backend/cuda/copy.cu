#include "backend/cuda/copy.cuh"
#include "backend/cuda/copy.h"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

cudaError_t launch_copy(cudaStream_t stream, void* to, const void* from, std::int64_t bytes) {
  return with_copy_body(to, from, bytes, [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
