/// How the threads of a block work together. On a device, every thread runs a kernel's body. On the
/// host, one call runs the body for all threads of a block, and the results have the same bits.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace normbench::cuda {

inline constexpr unsigned warp_lanes = 32;

/// A variable with a value for each lane of a warp.
template <class T>
class PerLane {
 public:
  __host__ __device__ T& operator[]([[maybe_unused]] unsigned lane) {
#ifdef __CUDA_ARCH__
    return own_;
#else
    return all_[lane];
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  T own_;
#else
  T all_[warp_lanes];
#endif
};

/// A warp of a block. All lanes of the warp must make the same calls together.
struct Warp {
  unsigned index;

  /// Runs `step(lane)` for every lane.
  template <class Step>
  __host__ __device__ void each(Step step) const {
#ifdef __CUDA_ARCH__
    step(threadIdx.x % warp_lanes);
#else
    for (unsigned lane = 0; lane < warp_lanes; ++lane) step(lane);
#endif
  }

  /// Sets `x` of each lane to the sum of `x` over all lanes with the same number modulo `apart`, a
  /// power of two.
  __host__ __device__ void sum(PerLane<float>& x, unsigned apart = 1) const {
    for (unsigned step = warp_lanes / 2; step >= apart; step /= 2) {
#ifdef __CUDA_ARCH__
      x[0] += __shfl_xor_sync(~0u, x[0], static_cast<int>(step));
#else
      PerLane<float> before = x;
      for (unsigned lane = 0; lane < warp_lanes; ++lane) x[lane] += before[lane ^ step];
#endif
    }
  }
};

struct Block {
  unsigned index, warps;
  std::byte* shared;  // aligned to 16 bytes

  /// Runs `work(warp)` for every warp.
  template <class Work>
  __host__ __device__ void each_warp(Work work) const {
#ifdef __CUDA_ARCH__
    work(Warp{threadIdx.x / warp_lanes});
#else
    for (unsigned warp = 0; warp < warps; ++warp) work(Warp{warp});
#endif
  }

  /// Waits until all threads of the block have called this function. What they wrote before, in any
  /// memory, is then visible to the whole block.
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
};

}  // namespace normbench::cuda
