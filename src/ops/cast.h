#pragma once

#include "ops/checks.h"

namespace normbench {

/// Changes the dtype. A cast to uint8 rounds to the nearest whole number, ties to even, and
/// saturates.
struct Cast {
  static constexpr std::string_view name = "cast";
  static constexpr std::string_view about = "change the dtype";

  DType to = DType::Float32;

  static Cast read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  bool row_wise() const { return true; }
  bool elementwise() const { return true; }
  static std::vector<Cast> samples(const Shape& shape);
};

}  // namespace normbench
