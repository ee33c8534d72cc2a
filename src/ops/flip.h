#pragma once

#include "ops/checks.h"

namespace normbench {

/// Mirrors every image. Parameter: axis, which is horizontal (default; exchanges left and right),
/// vertical or both. In a YCbCr format each mirrored axis must be a whole number of chroma samples
/// long.
struct FlipOp {
  static constexpr std::string_view name = "flip";
  static constexpr std::string_view about = "mirror every image";
  static constexpr Roles roles{.moves_only = true, .takes_ycbcr = true};

  Flip axis = Flip::Horizontal;

  static FlipOp read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  bool row_wise() const { return axis == Flip::Horizontal; }
  static std::vector<FlipOp> samples(const Shape& shape);
};

/// Returns the images with every channel mirrored along `axis`.
Tensor64 mirrored(Tensor64 images, Flip axis);

}  // namespace normbench
