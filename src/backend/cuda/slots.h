/// How the work of a walk is divided among threads.
#pragma once

#include <cstdint>

#include "backend/cuda/walk.h"

namespace normbench::cuda {

/// The slots of a thread: `first`, `first` + `step`, … of run `run`.
struct Share {
  std::int64_t run, first, step;
};

/// A slot is 16 bytes of the output at a multiple of 16; the first and the last one of a run may be
/// only partly of that run. Groups of neighbouring threads (a warp, less where runs are short) take
/// turns slot by slot, so that a store of the group is one contiguous piece.
struct Slots {
  Divisor chunks;               // per run: what one group takes
  std::uint32_t lane_bits = 0;  // 2^lane_bits threads are a group
  std::int32_t depth = 1;       // slots of a thread
  std::int64_t per_run = 0;     // the most slots that a run has
  std::int64_t threads = 0;

  /// For an output of elements of `size` bytes at `address`. A thread takes one slot, or `most` of
  /// them where there are more slots than `enough_threads`.
  static Slots of(const Walk& walk, std::uintptr_t address, std::int64_t size, std::int32_t most,
                  std::int64_t enough_threads);

  __host__ __device__ Share share(std::int64_t thread) const {
    const std::int64_t step = std::int64_t{1} << lane_bits;
    const auto [run, chunk] = chunks.split(thread >> lane_bits);
    return {run, (chunk * depth << lane_bits) + (thread & (step - 1)), step};
  }
};

}  // namespace normbench::cuda
