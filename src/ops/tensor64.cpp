#include "ops/tensor64.h"

#include <utility>

namespace normbench {
namespace {

/// An image of `shape` whose elements `from(y, x)` names in `in`.
template <class From>
Tensor64 gathered(const Tensor64& in, const Shape& shape, From from) {
  Tensor64 out{shape, {}};
  out.values.reserve(static_cast<std::size_t>(shape.elements()));
  for (std::int64_t n = 0; n < shape.n; ++n)
    for (std::int64_t c = 0; c < shape.c; ++c)
      for (std::int64_t y = 0; y < shape.h; ++y)
        for (std::int64_t x = 0; x < shape.w; ++x) {
          const auto [from_y, from_x] = from(y, x);
          out.values.push_back(in.values[position(in.shape, n, c, from_y, from_x)]);
        }
  return out;
}

}  // namespace

Tensor64 cut(const Tensor64& in, std::int64_t top, std::int64_t left, std::int64_t h,
             std::int64_t w) {
  return gathered(in, {in.shape.n, in.shape.c, h, w}, [&](std::int64_t y, std::int64_t x) {
    return std::pair{top + y, left + x};
  });
}

Tensor64 mirrored(const Tensor64& in, Flip axis) {
  const bool down = axis == Flip::Vertical || axis == Flip::Both;
  const bool across = axis == Flip::Horizontal || axis == Flip::Both;
  return gathered(in, in.shape, [&](std::int64_t y, std::int64_t x) {
    return std::pair{down ? in.shape.h - 1 - y : y, across ? in.shape.w - 1 - x : x};
  });
}

}  // namespace normbench
