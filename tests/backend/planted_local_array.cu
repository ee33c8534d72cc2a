// A kernel that indexes an array by a number known only at run time: ptx_check.py must find the
// local memory that it takes.
#include "backend/cuda/access.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

struct LocalArray {
  std::int64_t threads;
  Vector16* out;
  int first;

  __host__ __device__ void operator()(std::int64_t thread) const {
    std::uint32_t numbers[16];
    for (int i = 0; i < 16; ++i) numbers[(i * first) & 15] = static_cast<std::uint32_t>(thread + i);
    const int at = static_cast<int>(thread) & 12;
    store16(out + thread, {{numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]}},
            false);
  }
};

cudaError_t launch_local_array(cudaStream_t stream, const LocalArray& body) {
  return launch(stream, body);
}

}  // namespace normbench::cuda
