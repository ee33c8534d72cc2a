/// The steps of group normalization and of its gradients as separate ops. PyTorch 1.3, for example,
/// computed group normalization in such steps: a batch norm over [1, N * groups, ...], and then
/// affine operations.
#pragma once

#include "ops/checks.h"

namespace normbench {

/// What a scale and a shift apply to: one group of channels of one image, or one channel of all
/// images.
enum class Over { Group, Channel };
constexpr auto words(Over) {
  return std::to_array<Word<Over>>({{Over::Group, "group"}, {Over::Channel, "channel"}});
}

/// x -> mean, rstd of each group of channels of each image, where rstd =
/// 1 / sqrt(biased variance + eps). Both outputs are [N, groups, 1, 1] float32. x has a float
/// dtype.
/// Parameters: groups; eps (default 1e-5).
struct Moments {
  static constexpr std::string_view name = "moments";
  static constexpr std::string_view about = "x to mean and rstd of its groups of channels";
  static constexpr int flops_per_input = 3;

  std::int64_t groups = 1;
  double eps = 1e-5;

  static Moments read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  static std::vector<Moments> samples(const Shape& shape);
};

/// Scales and shifts x.
///   over group    x, mean, rstd -> (x - mean) * rstd; mean and rstd are [N, groups, 1, 1]
///   over channel  x, gamma, beta -> x * gamma + beta; gamma and beta are [1, C, 1, 1]
/// x has a float dtype. The output has the dtype and layout of x. The other inputs are float32.
/// Parameter: over (default channel).
struct ScaleShift {
  static constexpr std::string_view name = "scale_shift";
  static constexpr std::string_view about =
      "(x - mean) * rstd of each group, or x * gamma + beta of each channel";
  static constexpr int flops_per_input = 2;

  Over over = Over::Channel;

  static ScaleShift read(Reader& reader) { return {.over = reader.word("over", Over::Channel)}; }
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  std::vector<Feeds> feeds(const TensorDesc& x) const;
  static std::vector<ScaleShift> samples(const Shape&) {
    return {{.over = Over::Group}, {.over = Over::Channel}};
  }
};

/// a, b -> a * b. b has the shape and dtype of a, or it is [1, C, 1, 1] float32, one value for each
/// channel. a has a float dtype. The result has the dtype and layout of a.
struct Mul {
  static constexpr std::string_view name = "mul";
  static constexpr std::string_view about = "the product of two tensors";
  static constexpr int flops_per_input = 1;

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  std::vector<Feeds> feeds(const TensorDesc& x) const;
};

/// x -> the sum of each channel over all images, [1, C, 1, 1] float32. x has a float dtype.
struct Sum {
  static constexpr std::string_view name = "sum";
  static constexpr std::string_view about = "the sum of each channel, over the batch";
  static constexpr int flops_per_input = 1;

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  bool whole_batch() const { return true; }
};

/// dh, x, mean, rstd -> dx. dh is the gradient with respect to h = (x - mean) * rstd, and dx is the
/// gradient with respect to x. mean and rstd are the statistics of the groups of x, both
/// [N, groups, 1, 1] float32. x has a float dtype.
struct BatchNormBackward {
  static constexpr std::string_view name = "batch_norm_backward";
  static constexpr std::string_view about =
      "the gradient of (x - mean) * rstd, each group normalised by itself";
  static constexpr int flops_per_input = 10;

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  std::vector<Feeds> feeds(const TensorDesc& x) const;
};

/// old, new -> old + new, as autograd adds a new gradient to an existing one. Both inputs have the
/// same float dtype.
struct Accumulate {
  static constexpr std::string_view name = "accumulate";
  static constexpr std::string_view about = "the sum of an old gradient and a new one";
  static constexpr int flops_per_input = 1;

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  std::vector<Feeds> feeds(const TensorDesc& x) const { return {{{.desc = x}, {.desc = x}}}; }
};

}  // namespace normbench
