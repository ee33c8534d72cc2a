#pragma once

#include "ops/checks.h"

namespace normbench {

/// A copy, dtype and layout kept.
struct Copy {
  static constexpr std::string_view name = "copy";
  static constexpr std::string_view about = "copy the bytes: the limit of a 1:1 mix";
  static constexpr bool copies = true;

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const { return output_like(in); }
};

}  // namespace normbench
