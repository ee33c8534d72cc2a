/// Kernels whose device code has one mistake. Their host bodies are correct.
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

/// Adds 1 to each number, one number per thread. If `what` is WrongHalf, converts each number to
/// half instead.
cudaError_t launch_planted(cudaStream_t stream, Planted what, const float* in, float* out,
                           std::int64_t elements);

/// Mistakes in kernels whose threads exchange values within a block.
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

/// Subtracts the mean of a block's numbers from each of them. Then divides each difference by the
/// root of the sum of the block's squared differences.
cudaError_t launch_planted(cudaStream_t stream, PlantedInBlock what, const float* in, float* out,
                           std::int64_t elements);

}  // namespace normbench::ptx
