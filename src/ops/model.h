#pragma once

#include <string>

#include "ops/checks.h"

namespace normbench {

/// Where a network's input is normalised: by nobody, in a step before it, or in its first layer.
enum class ModelNormalize { None, Before, Inside };
constexpr auto words(ModelNormalize) {
  return std::to_array<Word<ModelNormalize>>({{ModelNormalize::None, "none"},
                                              {ModelNormalize::Before, "before"},
                                              {ModelNormalize::Inside, "inside"}});
}

/// Computes the logits of a network. Only a peer knows the names of networks and the weights.
/// Parameters: name; normalize (none; before and inside need mean and std, and make (x - mean) /
/// std of the input); train (do a step of training: forward, cross-entropy, backward, SGD; the
/// logits are those of its forward pass); learning_rate (0: weights stay, so that all steps can be
/// compared; the work is the same). Floating point only; dtype kept.
struct Model {
  static constexpr std::string_view name = "model";
  static constexpr std::string_view about =
      "logits of a network: [n, 3, h, w] to [n, 1000, 1, 1]; runs in a peer only";
  static constexpr Roles roles{.peer_only = true};
  static constexpr std::int64_t channels = 3, classes = 1000;  // ImageNet's

  std::string network = {};
  ModelNormalize normalize = ModelNormalize::None;
  std::vector<double> mean = {}, std = {};  // one value, or one per channel; empty: not given
  bool train = false;
  double learning_rate = 0;

  static Model read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

}  // namespace normbench
