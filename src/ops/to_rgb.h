#pragma once

#include "ops/checks.h"

namespace normbench {

/// Converts YCbCr images to RGB, as libjpeg does when it decodes a JPEG: chroma is upsampled with a
/// triangle filter and rounded, then each pixel is converted and rounded. So if `load` gives a JPEG
/// in the file's own format and size, and does not turn it, `to_rgb` computes the pixels that
/// `load` would give as RGB. Parameter: layout (default nhwc).
struct ToRgb {
  static constexpr std::string_view name = "to_rgb";
  static constexpr std::string_view about = "convert YCbCr planes to RGB pixels";
  static constexpr Roles roles{.takes_ycbcr = true};

  Layout layout = Layout::Nhwc;

  static ToRgb read(Reader& reader) { return {.layout = reader.word("layout", Layout::Nhwc)}; }
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  static std::vector<ToRgb> samples(const Shape& shape);
  std::vector<Feeds> feeds(const TensorDesc& first) const { return ycbcr_feeds(first); }
};

}  // namespace normbench
