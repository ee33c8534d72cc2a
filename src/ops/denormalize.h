#pragma once

#include "ops/checks.h"

namespace normbench {

/// Undoes `normalize` with the same mean, std and scale. Computes the uint8 nearest to (x * std[c]
/// + mean[c]) / scale, in layout `layout`. A value halfway between two whole numbers becomes the
/// even one, as with np.rint and torch.round (`.to(torch.uint8)` truncates). Values below 0 become
/// 0, values above 255 become 255, and NaN becomes 0. The input has a float dtype.
/// Parameters: mean; std; scale (default 1); layout (default: the input's).
struct Denormalize {
  static constexpr std::string_view name = "denormalize";
  static constexpr std::string_view about =
      "(x * std + mean) / scale as uint8: images again, with layout in the same pass";
  static constexpr int flops_per_element = 2;

  std::vector<double> mean = {}, std = {};  // one value, or one per channel; std never 0
  double scale = 1;                         // never 0
  std::optional<Layout> layout = {};

  static Denormalize read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  bool row_wise() const { return true; }
  bool elementwise() const { return true; }
  /// Returns ops that together set every parameter. With some of them, all results lie within 0 to
  /// 255. With the others, results may lie outside of this range and are then clamped.
  static std::vector<Denormalize> samples(const Shape& shape);
};

}  // namespace normbench
