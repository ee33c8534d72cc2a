/// The order in which fused kernels visit the elements of tensors of any layout, crop and flip, and
/// how threads share this work.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "backend/cuda/divisor.h"
#include "core/tensor.h"

namespace normbench::cuda {

/// The channel of a run (see Walk), and the offsets in elements at which the run starts in the
/// input and in the output.
struct RunStart {
  std::int64_t in, out, channel;
};

/// The output, divided into `runs` runs of `elements` contiguous elements. Runs are as long as the
/// input's strides allow: a row, a plane, an image or the whole output. Element i of a run belongs
/// to pixel i / period and channel i % period. With period 1, all elements of a run belong to one
/// channel, or all channels are treated alike.
struct Walk {
  /// An axis outside the runs. `outer` lists the innermost axis first.
  struct Axis {
    Divisor extent;
    std::int64_t in = 0, out = 0;  // elements to the next index
  };
  static constexpr int axes = 3;

  Axis outer[axes];
  int channel_axis = axes;  // index in `outer` of the axis of channels; `axes`: none
  std::int64_t runs = 1, elements = 1;
  std::int64_t pixel = 1, channel = 0;  // input elements to the next pixel; to the next channel
  Divisor period;

  /// Returns true if each run of the output is contiguous in the input.
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

/// Returns the walk from a strided input to an output with an innermost stride of 1. A run has
/// elements of one channel, or whole pixels with all their channels. If `alike` is true, channels
/// make no difference, and a run may span several of them.
Walk make_walk(const TensorDesc& in, const TensorDesc& out, bool alike);

/// The slots of run `run` that a thread takes: `first`, `first` + `step`, …
struct Share {
  std::int64_t run, first, step;
};

inline constexpr std::int64_t slot_bytes = 16;

/// Divides runs into slots and assigns slots to threads. A slot is 16 bytes of the output at a
/// multiple of 16. The first and the last slot of a run may be only partly in the run. A group of
/// neighbouring threads (a warp, or fewer threads if runs are short) takes neighbouring slots, so
/// that its stores are contiguous.
struct Slots {
  Divisor chunks;               // chunks of a run; a group takes one chunk
  std::uint32_t lane_bits = 0;  // a group has 2^lane_bits threads
  std::int32_t depth = 1;       // slots of a thread
  std::int64_t per_run = 0;     // the largest number of slots in a run
  std::int64_t threads = 0;

  /// Returns the slots for an output at `address` with elements of `size` bytes. A thread takes one
  /// slot, or up to `most` slots if there are more than `enough_threads` slots in all.
  static Slots of(const Walk& walk, std::uintptr_t address, std::int64_t size, std::int32_t most,
                  std::int64_t enough_threads);

  __host__ __device__ Share share(std::int64_t thread) const {
    const std::int64_t step = std::int64_t{1} << lane_bits;
    const auto [run, chunk] = chunks.split(thread >> lane_bits);
    return {run, (chunk * depth << lane_bits) + (thread & (step - 1)), step};
  }
};

}  // namespace normbench::cuda
