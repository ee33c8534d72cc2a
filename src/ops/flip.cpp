#include "ops/flip.h"

#include <algorithm>

namespace normbench {

FlipOp FlipOp::read(Reader& reader) { return {.axis = reader.word("axis", Flip::Horizontal)}; }

void FlipOp::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = mirrored(in[0], axis);
}

std::vector<FlipOp> FlipOp::samples(const Shape&) {
  return {{.axis = Flip::Horizontal}, {.axis = Flip::Vertical}, {.axis = Flip::Both}};
}

Tensor64 mirrored(Tensor64 images, Flip axis) {
  const bool down = axis == Flip::Vertical || axis == Flip::Both;
  const bool across = axis == Flip::Horizontal || axis == Flip::Both;
  const Shape& shape = images.shape;
  for (auto plane = images.values.begin(); plane != images.values.end();
       plane += shape.h * shape.w) {
    const auto end = plane + shape.h * shape.w;
    // Reversing a whole plane mirrors it vertically and horizontally. Reversing each row after that
    // undoes the horizontal mirroring.
    if (down) std::reverse(plane, end);
    if (down != across)
      for (auto row = plane; row != end; row += shape.w) std::reverse(row, row + shape.w);
  }
  return images;
}

}  // namespace normbench
