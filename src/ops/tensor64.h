/// Images as doubles: what references of several ops share.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace normbench {

/// Position of a logical element in a Tensor64.
inline std::size_t position(const Shape& shape, std::int64_t n, std::int64_t c, std::int64_t y,
                            std::int64_t x) {
  return static_cast<std::size_t>(((n * shape.c + c) * shape.h + y) * shape.w + x);
}

/// Rows [top, top + h) and columns [left, left + w) of every image.
Tensor64 cut(const Tensor64& in, std::int64_t top, std::int64_t left, std::int64_t h,
             std::int64_t w);

/// Every image mirrored.
Tensor64 mirrored(const Tensor64& in, Flip axis);

/// `f(value, channel)` of every element.
template <class F>
Tensor64 map_channels(const Tensor64& in, F f) {
  Tensor64 out{in.shape, in.values};
  const std::int64_t plane = in.shape.h * in.shape.w;
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.values[i] = f(in.values[i], static_cast<std::int64_t>(i) / plane % in.shape.c);
  return out;
}

}  // namespace normbench
