#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// A copy, dtype and layout kept.
struct Copy {
  static constexpr std::string_view name = "copy";
  static constexpr std::string_view about = "copy the bytes: the limit of a 1:1 mix";

  static Copy read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench
