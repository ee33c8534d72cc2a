#include "backend/cuda/fused.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

cudaError_t launch_denormalize(cudaStream_t stream, const NormalizeArguments& arguments) {
  return with_denormalize(arguments, launching(stream));
}

}  // namespace normbench::cuda
