/// One way through a tensor for every fused kernel, whatever the layouts, crop and flip, and how
/// its work is divided among threads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "backend/cuda/divisor.h"
#include "core/tensor.h"

namespace normbench::cuda {

/// Where a run starts, in elements of the input and of the output, and the channel of its elements.
struct RunStart {
  std::int64_t in, out, channel;
};

/// The output as `runs` runs of `elements` contiguous elements: planes, rows, images, or all of it,
/// as long as the input's strides allow. Element i of a run is channel i % period of pixel
/// i / period; with period 1 the whole run is one channel.
struct Walk {
  /// Axes outside the runs, the innermost first.
  struct Axis {
    Divisor extent;
    std::int64_t in = 0, out = 0;  // elements to the next
  };
  static constexpr int axes = 3;

  Axis outer[axes];
  int channel_axis = axes;  // of `outer`, the one that counts channels; `axes`: there is none
  std::int64_t runs = 1, elements = 1;
  std::int64_t pixel = 1, channel = 0;  // elements of the input to the next
  Divisor period;

  /// True if a run of the output is a run of the input.
  __host__ __device__ bool is_contiguous() const {
    return pixel == period.divisor && (period.divisor == 1 || channel == 1);
  }

  __host__ __device__ RunStart start(std::int64_t run) const {
    RunStart start{0, 0, 0};
    for (int i = 0; i < axes; ++i) {
      const auto [rest, at] = i + 1 < axes ? outer[i].extent.split(run) : Quotient{0, run};
      start.in += at * outer[i].in;
      start.out += at * outer[i].out;
      if (i == channel_axis) start.channel = at;
      run = rest;
    }
    return start;
  }
};

/// The walk from a strided input to an output whose innermost stride is 1. A run keeps to one
/// channel, or holds all of them pixel by pixel, unless the channels are `alike`: treated the same.
Walk make_walk(const TensorDesc& in, const TensorDesc& out, bool alike);

/// The slots of a thread: `first`, `first` + `step`, … of run `run`.
struct Share {
  std::int64_t run, first, step;
};

inline constexpr std::int64_t slot_bytes = 16;

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
