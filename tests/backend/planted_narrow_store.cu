// A kernel that stores 4 bytes at a time: ptx_check.py must find it.
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

struct NarrowStore {
  std::int64_t threads;
  float* out;

  __host__ __device__ void operator()(std::int64_t thread) const {
    out[thread] = static_cast<float>(thread);
  }
};

cudaError_t launch_narrow_store(cudaStream_t stream, const NarrowStore& body) {
  return launch(stream, body);
}

}  // namespace normbench::cuda
