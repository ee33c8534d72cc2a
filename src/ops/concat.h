#pragma once

#include "ops/checks.h"

namespace normbench {

/// Joins several tensors to one batch: the images of the first input, then those of the second, ….
/// Dtype, layout, channels, height and width are the same; there are two inputs at least.
struct Concat {
  static constexpr std::string_view name = "concat";
  static constexpr std::string_view about = "the images of several tensors as one batch";
  static constexpr Roles roles{.moves_only = true};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  bool whole_batch() const { return true; }
  /// Two and three inputs, of which some have more images than the first.
  std::vector<Feeds> feeds(const TensorDesc& first) const;
};

}  // namespace normbench
