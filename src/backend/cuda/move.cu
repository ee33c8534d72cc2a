#include "backend/cuda/launch.cuh"
#include "backend/cuda/move.cuh"

namespace normbench::cuda {

cudaError_t launch_move(cudaStream_t stream, const FusedTask& task) {
  return with_move(task, [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
