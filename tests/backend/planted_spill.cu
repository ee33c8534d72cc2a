// A kernel that keeps more numbers than it has registers: ptx_check.py must find the spills.
#include "backend/cuda/access.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

struct Spill {
  std::int64_t threads;
  const Vector16* in;
  Vector16* out;

  __host__ __device__ void operator()(std::int64_t thread) const {
    constexpr int count = 64;
    Vector16 kept[count];
    for (int i = 0; i < count; ++i) kept[i] = load16(in + thread * count + i);
    for (int i = count - 1; i >= 0; --i) store16(out + thread * count + i, kept[i], false);
  }
};

cudaError_t launch_spill(cudaStream_t stream, const Spill& body) { return launch(stream, body); }

}  // namespace normbench::cuda
