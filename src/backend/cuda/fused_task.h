/// What a fused kernel is asked to do.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace normbench::cuda {

struct FusedTask {
  View in, out;            // the input is strided (cropped, flipped), the output is not
  bool alike = false;      // the function does the same to all channels
  bool streaming = false;  // the output does not stay in the cache
  std::int64_t enough_threads = 1 << 18;  // at least what a large GPU runs at a time
};

/// True if pixels of three channels go to planes that start equally far past a multiple of 16
/// bytes.
bool goes_to_planes3(const FusedTask& task);

/// The descriptions with pixels for elements, for a walk over the first plane.
FusedTask first_plane(const FusedTask& task);

}  // namespace normbench::cuda
