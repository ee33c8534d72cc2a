#pragma once

#include "ops/checks.h"

namespace normbench {

/// Joins two or more tensors to one batch: the images of the first input, then those of the second,
/// and so on. All inputs have the same dtype, layout, channels, height and width.
struct Concat {
  static constexpr std::string_view name = "concat";
  static constexpr std::string_view about = "the images of several tensors as one batch";
  static constexpr Roles roles{.moves_only = true};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  bool whole_batch() const { return true; }
  /// Returns two sets of inputs for a self-test: one with two inputs and one with three. The last
  /// input of each set has one image more than `first`.
  std::vector<Feeds> feeds(const TensorDesc& first) const;
};

}  // namespace normbench
