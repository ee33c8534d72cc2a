/// The actual clock rate of a GPU's multiprocessors while they work.
#pragma once

#include "backend/cuda/kernels.h"
#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// Measures the average clock rate between start() and stop(): the cycles that each multiprocessor
/// counts, divided by the time on the GPU's timer. The driver could only report the clock rate at
/// one moment.
class Cycles {
 public:
  /// Prepares to count on the current device. All functions of the class throw CudaError.
  Cycles();
  /// Reads the counters after all earlier work of `stream`, and waits until they have been read.
  void start(cudaStream_t stream);
  /// Reads the counters again and returns the clock rate since start() in MHz: the median over the
  /// multiprocessors that were read both times, or 0 if there are none.
  std::int64_t stop(cudaStream_t stream);

 private:
  void read(cudaStream_t stream, std::size_t moment);

  unsigned multiprocessors_;
  std::unique_ptr<Allocation> readings_;  // readings of start(), then of stop()
};

}  // namespace normbench::cuda
