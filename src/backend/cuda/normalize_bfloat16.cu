#include "backend/cuda/fused.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

template <>
cudaError_t launch_normalize<DType::BFloat16>(cudaStream_t stream,
                                              const NormalizeArguments& arguments) {
  return with_normalize<__nv_bfloat16>(arguments, launching(stream));
}

}  // namespace normbench::cuda
