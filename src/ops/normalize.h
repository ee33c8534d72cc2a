#pragma once

#include "ops/checks.h"
#include "ops/crop.h"

namespace normbench {

/// Computes y = (x * scale - mean[c]) / std[c] on a window of each image. The result is mirrored by
/// `flip` and has dtype `to` and layout `layout`. There may be several windows of one size. The
/// output is then [N * windows, C, height, width]: the first window of all images, then the second
/// window of all images, as from a `concat` of crops. If x is YCbCr, the pixels are first converted
/// to RGB without rounding (rgb_of() in ycbcr.h), and `scale`, `mean` and `std` apply to the RGB
/// values.
/// Parameters: mean; std; dtype (default float32); scale (default 1); layout (default: the
/// input's); crop (a window, or a list of at most 64); flip (default none); constants (default
/// cached).
struct Normalize {
  static constexpr std::string_view name = "normalize";
  static constexpr std::string_view about =
      "(x * scale - mean) / std, with cast, layout, crop and flip in the same pass";
  static constexpr Roles roles{.takes_ycbcr = true};

  std::vector<double> mean = {}, std = {};  // one value, or one per channel; std never 0
  DType to = DType::Float32;
  double scale = 1;
  std::optional<Layout> layout = {};
  std::vector<Window> crop = {};  // all of one size; empty: the whole image
  Flip flip = Flip::None;
  Constants constants = Constants::Cached;
  // The kinds of values that a peer (another library) rounds to the output's dtype. accuracy() adds
  // the errors of these roundings. Empty for normbench's own kernels, which keep these values in
  // float32.
  Rounds rounds = {};

  static Normalize read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  /// Returns the cost if each pixel inside a window is read once, even if several windows contain
  /// it, and no other pixel is read. The samples of chroma around a window do not count.
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
  /// Returns the constants a and b of a channel, with which x * a + b is (x * scale - mean) / std.
  std::pair<double, double> multiply_add(std::int64_t channel) const;
  bool whole_batch() const { return crop.size() > 1; }
  bool elementwise() const { return crop.empty() && flip == Flip::None; }
  bool row_wise() const { return crop.empty() && (flip == Flip::None || flip == Flip::Horizontal); }
  /// Returns ops that together set each parameter at least once with each float dtype.
  static std::vector<Normalize> samples(const Shape& shape);
};

}  // namespace normbench
