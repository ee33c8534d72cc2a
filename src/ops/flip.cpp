#include "ops/flip.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {

FlipOp FlipOp::read(Reader& reader) { return {.axis = reader.word("axis", Flip::Horizontal)}; }

std::vector<TensorDesc> FlipOp::infer(std::span<const TensorDesc> in) const {
  const Shape& shape = only_input(in).shape;
  const auto [format, name, across, down] = row_of(shape.format);
  const auto check = [&](bool is_mirrored, std::string_view side, std::int64_t pixels, int step) {
    if (is_mirrored && pixels % step != 0)
      throw Invalid(
          fmt::format("a {} of {} pixels cannot be mirrored as {} (crop to a multiple of {})", side,
                      pixels, name, step));
  };
  check(axis != Flip::Vertical, "width", shape.w, across);
  check(axis != Flip::Horizontal, "height", shape.h, down);
  return output_like(in);
}

void FlipOp::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = mirrored(in[0], axis);
}

std::vector<FlipOp> FlipOp::samples(const Shape&) {
  return {{.axis = Flip::Horizontal}, {.axis = Flip::Vertical}, {.axis = Flip::Both}};
}

Tensor64 mirrored(Tensor64 images, Flip axis) {
  const bool down = axis == Flip::Vertical || axis == Flip::Both;
  const bool across = axis == Flip::Horizontal || axis == Flip::Both;
  auto plane = images.values.begin();
  for (std::int64_t number = 0; number < images.shape.n * images.shape.c; ++number) {
    const Shape shape = images.shape.plane(number % images.shape.c);
    const auto end = plane + shape.h * shape.w;
    // Reversing a whole plane mirrors it vertically and horizontally. Reversing each row after that
    // undoes the horizontal mirroring.
    if (down) std::reverse(plane, end);
    if (down != across)
      for (auto row = plane; row != end; row += shape.w) std::reverse(row, row + shape.w);
    plane = end;
  }
  return images;
}

}  // namespace normbench
