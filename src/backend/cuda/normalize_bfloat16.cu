#include "backend/cuda/launch.cuh"
#include "backend/cuda/normalize.cuh"

namespace normbench::cuda {

cudaError_t launch_normalize_bfloat16(cudaStream_t stream, const NormalizeArguments& arguments) {
  return with_normalize<__nv_bfloat16>(arguments,
                                       [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
