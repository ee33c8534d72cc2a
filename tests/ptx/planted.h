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

/// Numbers to numbers or halves, one a thread.
cudaError_t launch_planted(cudaStream_t stream, Planted what, const float* in, float* out,
                           std::int64_t elements);

/// The same in kernels whose threads work together.
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

/// Each block's numbers, less their mean and over the root of the sum of their squares then.
cudaError_t launch_planted(cudaStream_t stream, PlantedInBlock what, const float* in, float* out,
                           std::int64_t elements);

}  // namespace normbench::ptx
