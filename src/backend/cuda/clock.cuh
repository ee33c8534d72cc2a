/// Reads the cycle counters of multiprocessors together with the GPU's time.
#pragma once

#include <cstdint>

#include "backend/cuda/grid.h"
#include "backend/cuda/kernels.h"

namespace normbench::cuda {

/// The first thread of each block stores the cycle count of its multiprocessor and the GPU's time
/// in `readings[i]`, where i is the multiprocessor's number (%smid). It stores nothing if i is
/// `count` or more. Does nothing on the host.
struct ReadClocks {
  Grid grid;
  ClockReading* readings;
  unsigned count;

  __host__ __device__ void operator()([[maybe_unused]] const Index& at) const {
#ifdef __CUDA_ARCH__
    unsigned processor = 0;
    std::uint64_t time_ns = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
    if (at.thread != 0 || processor >= count) return;
    const auto cycles = static_cast<std::uint64_t>(clock64());
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time_ns));
    readings[processor] = {.cycles = cycles, .time_ns = time_ns};
#endif
  }
};

}  // namespace normbench::cuda
