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
  UnknownInstruction,
  SharedMemory,  // no mistake
  MissingBarrier
};

/// Numbers to numbers or halves, one a thread.
cudaError_t launch_planted(cudaStream_t stream, Planted what, const float* in, float* out,
                           std::int64_t elements);

}  // namespace normbench::ptx
