/// Antialiased bilinear resize in one pass, both filters evaluated on the fly.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/enums.h"

namespace normbench::cuda {

/// Extents of `launch_resize` are smaller: twice the widest filter fits 32 bits.
inline constexpr std::int64_t resize_extent_limit = std::int64_t{1} << 29;

/// Dense images: `planes` of rows of pixels of `group` elements, planar or interleaved.
struct ResizeArguments {
  DType dtype = DType::UInt8;
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t planes = 0, group = 1;
  std::int64_t from_height = 0, from_width = 0;
  std::int64_t to_height = 0, to_width = 0;
};

cudaError_t launch_resize(cudaStream_t stream, const ResizeArguments& arguments);

}  // namespace normbench::cuda
