#include "backend/cuda/fused.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

template <>
cudaError_t launch_normalize<DType::Float32>(cudaStream_t stream,
                                             const NormalizeArguments& arguments) {
  return with_normalize<float>(arguments, launching(stream));
}

}  // namespace normbench::cuda
