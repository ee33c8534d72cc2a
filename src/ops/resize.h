#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// Parameter: size [h, w]. Pixel centres at half integers; when it shrinks, the triangle filter is
/// widened by the scale (as PIL and torchvision antialias=True do). dtype kept; uint8 is rounded.
struct Resize {
  static constexpr std::string_view name = "resize";
  static constexpr std::string_view about = "antialiased bilinear resize";

  std::int64_t height = 0, width = 0;

  static Resize read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench
