#include "backend/cuda/launch.cuh"
#include "backend/cuda/normalize.cuh"

namespace normbench::cuda {

cudaError_t launch_normalize_float32(cudaStream_t stream, const NormalizeArguments& arguments) {
  return with_normalize<float>(arguments, [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
