/// Kernels whose device code has one mistake that their host bodies do not have.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace normbench::ptx {

enum class Planted {
  Nothing,
  MisalignedStore,
  TailOverrun,
  WrongHalf,
  ReadBeforeWrite,
  TwoWriters,
  UnknownInstruction
};

/// Turns numbers into numbers or halves, one a thread.
cudaError_t launch_planted(cudaStream_t stream, Planted what, const float* in, float* out,
                           std::int64_t elements);

/// Mistakes planted in kernels whose threads work together.
enum class PlantedInBlock {
  Nothing,
  NothingInShuffles,
  NoBarrierAfterStores,
  NoBarrierBeforeReuse,
  NoBarrierInLastWarp,
  BarrierInBranch,
  BarrierInTail,
  ShuffleInTail,
  SharedOverrun,
  SharedNotWritten,
  TailDropped,
  TailReadPast,
  BlocksWriteOne,
  BlockReadsAnother
};

/// Takes their mean off each block's numbers and divides them by the root of their sum of squares.
cudaError_t launch_planted(cudaStream_t stream, PlantedInBlock what, const float* in, float* out,
                           std::int64_t elements);

}  // namespace normbench::ptx
