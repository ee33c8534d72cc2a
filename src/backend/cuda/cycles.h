/// The clock rate that a GPU's multiprocessors really had while they worked.
#pragma once

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Cycles that multiprocessors count between two moments, over the time that the GPU counts. A
/// driver's reading says what the clock is when it is read, which is after the work.
class Cycles {
 public:
  /// Counts on the current device. Throws CudaError, as all else here.
  Cycles();
  /// Begins to count in the stream; returns when the counters are read.
  void start(cudaStream_t stream);
  /// The MHz since start(): the median of multiprocessors; 0 where nothing was counted.
  std::int64_t stop(cudaStream_t stream);

 private:
  void read(cudaStream_t stream, std::size_t moment);

  unsigned multiprocessors_;
  std::unique_ptr<Allocation> readings_;  // of two moments
};

}  // namespace normbench::cuda
