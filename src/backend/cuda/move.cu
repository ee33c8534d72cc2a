#include "backend/cuda/fused.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

cudaError_t launch_move(cudaStream_t stream, const FusedTask& task) {
  return with_move(task, launching(stream));
}

}  // namespace normbench::cuda
