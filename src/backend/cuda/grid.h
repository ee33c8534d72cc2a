/// The bodies of kernels, and the threads or blocks for which a body runs: in parallel on the
/// device, one by one on the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "backend/cuda/block.cuh"

namespace normbench::cuda {

inline constexpr unsigned threads_per_block = 256;
/// The most blocks along y and along z. Along x there may be 2^31 - 1 blocks.
inline constexpr std::int64_t most_blocks_across = 65535;

/// The blocks of a launch, with `threads_per_block` threads each. Bodies may count channels and
/// images along y and z, so that a thread finds its channel and its image without a division.
struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// The block (x, y, z) of a grid, and the number of a thread in that block.
struct Index {
  unsigned x, y, z, thread;
};

/// `count` blocks along x, with `warps` warps each. The threads of a block work together
/// (block.cuh).
struct Blocks {
  unsigned count = 1, warps = 1;
  std::size_t shared_bytes = 0;
  std::size_t most_shared_bytes = 0;  // limit of `shared_bytes` that load() sets for the kernel
};

/// A body is what a kernel runs. It is called for each thread of a grid, if it has
///   Grid grid;
///   __host__ __device__ void operator()(const Index& at) const;
/// or for each whole block (block.cuh), if it has
///   Blocks blocks;
///   __host__ __device__ void operator()(const Block& block) const;
/// or else for each of `threads` threads in a row:
///   std::int64_t threads;
///   __host__ __device__ void operator()(std::int64_t thread) const;
template <class Body>
concept HasGrid = requires(const Body& body) {
  body.grid;
};

template <class Body>
concept HasBlocks = requires(const Body& body) {
  body.blocks;
};

template <class Body>
std::int64_t threads_of(const Body& body) {
  if constexpr (HasBlocks<Body>)
    return std::int64_t{body.blocks.count} * body.blocks.warps * warp_lanes;
  else if constexpr (HasGrid<Body>)
    return std::int64_t{body.grid.x} * body.grid.y * body.grid.z * threads_per_block;
  else
    return body.threads;
}

/// Runs the body on the host for thread `i` of threads_of(body). Threads are counted block by
/// block, and blocks along x, then y, then z. If the body has `blocks`, the first thread of a block
/// runs the whole block, and the other threads do nothing.
template <class Body>
void run_thread(const Body& body, std::int64_t i) {
  if constexpr (HasBlocks<Body>) {
    const std::int64_t threads = std::int64_t{body.blocks.warps} * warp_lanes;
    if (i % threads != 0) return;
    std::vector<uint4> shared(body.blocks.shared_bytes / sizeof(uint4) + 1);
    body(Block{.index = static_cast<unsigned>(i / threads),
               .warps = body.blocks.warps,
               .shared = reinterpret_cast<std::byte*>(shared.data())});
  } else if constexpr (HasGrid<Body>) {
    const std::int64_t block = i / threads_per_block, plane = block / body.grid.x;
    body(Index{.x = static_cast<unsigned>(block % body.grid.x),
               .y = static_cast<unsigned>(plane % body.grid.y),
               .z = static_cast<unsigned>(plane / body.grid.y),
               .thread = static_cast<unsigned>(i % threads_per_block)});
  } else {
    body(i);
  }
}

}  // namespace normbench::cuda
