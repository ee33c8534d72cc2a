#pragma once

#include <string>

#include "ops/checks.h"

namespace normbench {

enum class Direction { Forward, Backward };
constexpr auto words(Direction) {
  return std::to_array<Word<Direction>>(
      {{Direction::Forward, "forward"}, {Direction::Backward, "backward"}});
}

/// Group normalization (Wu, He: Group Normalization, 2018). The channels of each image form
/// `groups` equal groups, and each group is normalised by its own mean and biased variance. If
/// there are as many groups as channels, this is instance norm.
///   forward   x [, gamma, beta] -> y = (x - mean) * rstd * gamma + beta, mean, rstd
///   backward  dy, x [, gamma], mean, rstd [, old gradients] -> dx [, dgamma, dbeta]
/// rstd = 1 / sqrt(variance + eps). mean and rstd are [N, groups, 1, 1]. gamma and beta are
/// [1, C, 1, 1], and the op has them only with `affine`. With `accumulate` the op takes old
/// gradients as further inputs, in the order of the outputs, and adds the new gradients to them. x,
/// y and their gradients have the same float dtype and layout. All other tensors are float32.
/// Parameters: groups; eps (default 1e-5); affine (default true); direction (default forward);
/// accumulate (default false).
struct GroupNorm {
  static constexpr std::string_view name = "group_norm";
  static constexpr std::string_view about =
      "group normalization, or its gradients: x, gamma, beta to y, mean, rstd";

  std::int64_t groups = 1;
  double eps = 1e-5;
  bool affine = true;
  Direction direction = Direction::Forward;
  bool accumulate = false;
  // The kinds of values that a peer (another library) rounds to the output's dtype. accuracy() adds
  // the errors of these roundings. Empty for normbench's own kernels, which keep these values in
  // float32.
  Rounds rounds = {};

  static GroupNorm read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
  bool whole_batch() const { return direction == Direction::Backward && affine; }
  std::vector<Feeds> feeds(const TensorDesc& x) const;
  static std::vector<GroupNorm> samples(const Shape& shape);

  /// The index of each input in the op's list of inputs; -1 if the op does not have this input.
  struct Inputs {
    int dy = -1, x = -1, gamma = -1, beta = -1, mean = -1, rstd = -1;
    int old_dx = -1, old_dgamma = -1, old_dbeta = -1;
    std::vector<std::string_view> names = {};  // the names of the inputs, in their order
  };
  Inputs inputs() const;

 private:
  std::vector<Accuracy> forward_accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                         std::span<const TensorDesc> out) const;
  std::vector<Accuracy> backward_accuracy(std::span<const Known> in,
                                          std::span<const Tensor64> exact,
                                          std::span<const TensorDesc> out) const;
};

}  // namespace normbench
