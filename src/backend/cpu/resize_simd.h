/// Separable resizing of contiguous images, vectorised for every dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/enums.h"

namespace normbench {

/// The taps of each output pixel of an axis: weights [begin, end), from input pixel `first` on.
/// Neither `first` nor the tap after the last one ever goes back.
struct Filter {
  struct Pixel {
    std::int64_t first, begin, end;
  };
  std::vector<Pixel> pixels;
  std::vector<float> weights;
  std::int64_t most_taps = 0;
};

/// Planes of contiguous rows, each pixel `group` interleaved channels.
struct ResizePlanes {
  const std::byte* in;
  std::byte* out;
  std::int64_t group, in_height, in_width, out_height, out_width;
};

/// Computes rows [begin, end) of the output, counted through all planes.
using ResizeFunction = void (*)(const ResizePlanes& planes, const Filter& vertical,
                                const Filter& horizontal, std::int64_t begin, std::int64_t end);

/// The function for the instruction set in use.
ResizeFunction resize_function(DType dtype);

}  // namespace normbench
