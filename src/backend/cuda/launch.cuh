/// The one kernel there is: a body run for every thread index.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/cuda/kernels.h"

namespace normbench::cuda {

constexpr unsigned threads_per_block = 256;
/// Lets a thread have 80 registers; more threads at once would spill some of the fused kernels.
constexpr unsigned blocks_at_once = 3;

template <class Body>
__global__ void __launch_bounds__(threads_per_block, blocks_at_once)
    run(const __grid_constant__ Body body) {
  const std::int64_t thread =
      static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (thread < body.threads) body(thread);
}

/// Submits `body`, a trivially copyable struct of at most 4 KiB with
///   std::int64_t threads;
///   __host__ __device__ void operator()(std::int64_t thread) const;
/// Nothing is launched for 0 threads; more than 2^31-1 blocks are an error, as they are to CUDA. On
/// only_load() the kernel's code is loaded and nothing else done.
template <class Body>
cudaError_t launch(cudaStream_t stream, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= 4096);
  static constexpr HostBody host{
      sizeof(Body), [](const void* b) { return static_cast<const Body*>(b)->threads; },
      [](const void* b, std::int64_t thread) { (*static_cast<const Body*>(b))(thread); }};
  if (body.threads == 0) return cudaSuccess;
  if (stream == only_load()) {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&run<Body>));
  }
  const std::int64_t blocks = (body.threads + threads_per_block - 1) / threads_per_block;
  if (blocks > std::numeric_limits<std::int32_t>::max()) return cudaErrorInvalidConfiguration;
  const void* arguments[] = {&body, &host};
  return cudaLaunchKernel(reinterpret_cast<const void*>(&run<Body>),
                          dim3(static_cast<unsigned>(blocks)), dim3(threads_per_block),
                          const_cast<void**>(arguments), 0, stream);
}

/// Launches the body that it is given.
inline auto launching(cudaStream_t stream) {
  return [stream](const auto& body) { return launch(stream, body); };
}

}  // namespace normbench::cuda
