#include "backend/cuda/launch.cuh"
#include "backend/cuda/normalize.cuh"

namespace normbench::cuda {

cudaError_t launch_normalize_float16(cudaStream_t stream, const NormalizeArguments& arguments) {
  return with_normalize<__half>(arguments, [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
