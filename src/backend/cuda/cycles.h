/// The actual clock rate of a GPU's multiprocessors while they work.
#pragma once

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Measures the clock rate between start() and stop(): the cycles that a multiprocessor counts,
/// divided by the GPU's time. A reading from the driver would only give the clock after the work.
class Cycles {
 public:
  /// Prepares to count on the current device. Throws CudaError, like the functions below.
  Cycles();
  /// Reads the counters in the order of `stream`, and waits until they have been read.
  void start(cudaStream_t stream);
  /// Reads the counters again and returns the clock rate since start() in MHz: the median of the
  /// multiprocessors, or 0 if none was read both times.
  std::int64_t stop(cudaStream_t stream);

 private:
  void read(cudaStream_t stream, std::size_t moment);

  unsigned multiprocessors_;
  std::unique_ptr<Allocation> readings_;  // at start() and at stop()
};

}  // namespace normbench::cuda
