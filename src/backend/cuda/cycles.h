/// The actual clock rate of a GPU's multiprocessors while they work.
#pragma once

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Measures clock rates: cycles that multiprocessors count between two moments, divided by the
/// GPU's time between them. A driver's reading would only give the clock after the work.
class Cycles {
 public:
  /// Prepares to count on the current device. Throws CudaError, like the functions below.
  Cycles();
  /// Begins to count in the stream. Returns when the counters have been read.
  void start(cudaStream_t stream);
  /// Returns the MHz since start(): the median of the multiprocessors, or 0 if nothing was counted.
  std::int64_t stop(cudaStream_t stream);

 private:
  void read(cudaStream_t stream, std::size_t moment);

  unsigned multiprocessors_;
  std::unique_ptr<Allocation> readings_;  // at start() and at stop()
};

}  // namespace normbench::cuda
