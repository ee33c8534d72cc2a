#include "backend/cuda/empty.h"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {
namespace {

struct Empty {
  std::int64_t threads = 1;
  __host__ __device__ void operator()(std::int64_t) const {}
};

}  // namespace

cudaError_t launch_empty(cudaStream_t stream) { return launch(stream, Empty{}); }

cudaError_t load_empty() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&run<Empty>));
}

}  // namespace normbench::cuda
