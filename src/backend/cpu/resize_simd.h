/// Separable resizing of contiguous images, vectorised for every dtype.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/resize_filter.h"
#include "core/enums.h"

namespace normbench {

/// Planes of contiguous rows. A pixel has `group` interleaved channels. `group` is 1 if each
/// channel is a plane. The distances are in elements.
struct ResizePlanes {
  const std::byte* in;
  std::byte* out;
  std::int64_t group, in_width, out_height, out_width;
  std::int64_t in_stride;            // from a row of the input to the next
  std::int64_t in_plane, out_plane;  // from a plane to the next
};

/// Computes output rows [begin, end), counted over all planes.
using ResizeFunction = void (*)(const ResizePlanes& planes, const Filter& vertical,
                                const Filter& horizontal, std::int64_t begin, std::int64_t end);

/// Returns the function for the instruction set in use.
ResizeFunction resize_function(DType dtype);

}  // namespace normbench
