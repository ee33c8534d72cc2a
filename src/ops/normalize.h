#pragma once

#include "ops/checks.h"
#include "ops/crop.h"

namespace normbench {

/// y = (x * scale - mean[c]) / std[c] on the window, mirrored, in dtype `to` and layout `layout`.
/// Parameters: mean, std, dtype (float32), scale (1), layout (input's), crop, flip, constants.
struct Normalize {
  static constexpr std::string_view name = "normalize";
  static constexpr std::string_view about =
      "(x * scale - mean) / std, with cast, layout, crop and flip in the same pass";
  static constexpr int flops_per_element = 2;

  std::vector<double> mean = {}, std = {};  // one value, or one per channel; std never 0
  DType to = DType::Float32;
  double scale = 1;
  std::optional<Layout> layout = {};
  std::optional<Window> crop = {};
  Flip flip = Flip::None;
  Constants constants = Constants::Cached;

  static Normalize read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
  /// Each parameter at least once with each dtype.
  static std::vector<Normalize> samples(const Shape& shape);
};

}  // namespace normbench
