/// The kernel function run(), the only one of this backend, and the functions that launch it. run()
/// calls a body (grid.h) in every thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/cuda/grid.h"
#include "backend/cuda/kernels.h"

namespace normbench::cuda {

/// The largest number of registers of a thread: `grid_registers` for bodies with a grid,
/// `many_registers` for bodies with a grid that set `takes_many_registers`.
/// tests/backend/issue_budget.py checks that ptxas of CUDA 12.4 to 13.5 spills no registers with
/// these numbers. For architectures before sm_90, ptxas of CUDA 12.4 spills registers if
/// `many_registers` is below 48.
///
/// More registers let fewer threads run at once. In blocks of 256 threads, the 65,536 registers of
/// a multiprocessor are enough for 2048 threads with 32 registers each, for 1536 with 40, or for
/// 1280 with 48.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
inline constexpr unsigned grid_registers = 40, many_registers = 48;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr unsigned grid_registers = 32, many_registers = 32;
#else
inline constexpr unsigned grid_registers = 32, many_registers = 48;
#endif

template <class Body>
concept TakesMany = HasGrid<Body> && requires {
  requires Body::takes_many_registers;
};

/// The largest number of registers of a thread. A body can set it as `registers`. Otherwise it is
/// 64 for bodies for whole blocks, so that a block of 1024 threads fits into 65,536 registers. It
/// is 80 for bodies that only get the number of a thread (neither grid nor blocks), because they
/// would spill with fewer.
template <class Body>
inline constexpr unsigned most_registers = TakesMany<Body>   ? many_registers
                                           : HasGrid<Body>   ? grid_registers
                                           : HasBlocks<Body> ? 64
                                                             : 80;
template <class Body>
requires requires { Body::registers; }
inline constexpr unsigned most_registers<Body> = Body::registers;

/// The bytes of dynamic shared memory that a block can have without cudaFuncSetAttribute().
inline constexpr std::size_t usual_shared_bytes = std::size_t{48} << 10;

template <class Body>
__global__ void __maxnreg__(most_registers<Body>) run(const __grid_constant__ Body body) {
  if constexpr (HasBlocks<Body>) {
    extern __shared__ uint4 shared[];
    body(Block{blockIdx.x, blockDim.x / warp_lanes, reinterpret_cast<std::byte*>(shared)});
  } else if constexpr (HasGrid<Body>) {
    body(Index{blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x});
  } else {
    const std::int64_t thread =
        static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
    if (thread < body.threads) body(thread);
  }
}

/// Loads the code of the body's kernel onto the device. If the body's `most_shared_bytes` is above
/// `usual_shared_bytes`, first allows the kernel's blocks that much shared memory.
template <class Body>
cudaError_t load(const Body& body) {
  const auto* const kernel = reinterpret_cast<const void*>(&run<Body>);
  if constexpr (HasBlocks<Body>)
    if (body.blocks.most_shared_bytes > usual_shared_bytes) {
      const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(body.blocks.most_shared_bytes));
      if (error != cudaSuccess) return error;
    }
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, kernel);
}

/// Launches the kernel for `body`, a trivially copyable struct of at most 4 KiB (grid.h).
/// - If the body has no threads, launches nothing and returns cudaSuccess.
/// - If `stream` is only_load(), calls load() instead.
/// - If there are more than 2^31 - 1 blocks along x, returns cudaErrorInvalidConfiguration, as CUDA
///   does.
/// - If blocks have more than `usual_shared_bytes` of shared memory, load() must have been called
///   before.
template <class Body>
cudaError_t launch(cudaStream_t stream, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= 4096);
  static constexpr HostBody host{
      sizeof(Body), [](const void* b) { return threads_of(*static_cast<const Body*>(b)); },
      [](const void* b, std::int64_t thread) { run_thread(*static_cast<const Body*>(b), thread); }};
  dim3 grid, block(threads_per_block);
  std::size_t shared_bytes = 0;
  if constexpr (HasBlocks<Body>) {
    grid.x = body.blocks.count;
    block.x = body.blocks.warps * warp_lanes;
    shared_bytes = body.blocks.shared_bytes;
  } else if constexpr (HasGrid<Body>) {
    grid = {body.grid.x, body.grid.y, body.grid.z};
  } else {
    const std::int64_t blocks = (body.threads + threads_per_block - 1) / threads_per_block;
    if (blocks > std::numeric_limits<std::int32_t>::max()) return cudaErrorInvalidConfiguration;
    grid.x = static_cast<unsigned>(blocks);
  }
  if (threads_of(body) == 0) return cudaSuccess;
  if (stream == only_load()) return load(body);
  const auto* const kernel = reinterpret_cast<const void*>(&run<Body>);
  const void* arguments[] = {&body, &host};
  return cudaLaunchKernel(kernel, grid, block, const_cast<void**>(arguments), shared_bytes, stream);
}

/// Returns a function that launches a body on the stream.
inline auto launching(cudaStream_t stream) {
  return [stream](const auto& body) { return launch(stream, body); };
}

}  // namespace normbench::cuda
