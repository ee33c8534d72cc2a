/// One way through a tensor for every fused kernel, whatever the layouts, crop and flip.
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

}  // namespace normbench::cuda
