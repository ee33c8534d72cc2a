/// What the threads of a block work together with. On a device every thread runs a kernel's body,
/// on the host one call runs it for all threads of a block: one source says what both do, to the
/// bit.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace normbench::cuda {

inline constexpr unsigned warp_lanes = 32;

/// A variable of each lane of a warp.
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

/// A warp of a block. All of its lanes come to each call.
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

  /// Gives each lane the sum over all lanes that are a multiple of `apart` from it, a power of two.
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
  std::byte* shared;  // at a multiple of 16

  /// Runs `work(warp)` for every warp.
  template <class Work>
  __host__ __device__ void each_warp(Work work) const {
#ifdef __CUDA_ARCH__
    work(Warp{threadIdx.x / warp_lanes});
#else
    for (unsigned warp = 0; warp < warps; ++warp) work(Warp{warp});
#endif
  }

  /// A barrier: what a thread has written before it, in any memory, the whole block sees after it.
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
};

}  // namespace normbench::cuda
