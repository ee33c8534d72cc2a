#pragma once

#include <string>

#include "ops/checks.h"

namespace normbench {

/// Where the input of a network is normalised: nowhere, in a step before the network, or in its
/// first layer.
enum class ModelNormalize { None, Before, Inside };
constexpr auto words(ModelNormalize) {
  return std::to_array<Word<ModelNormalize>>({{ModelNormalize::None, "none"},
                                              {ModelNormalize::Before, "before"},
                                              {ModelNormalize::Inside, "inside"}});
}

/// Computes the logits of a network. Only a peer knows the names of networks and their weights. The
/// input has a float dtype, which the output keeps. Parameters:
/// - name: the name of the network.
/// - normalize: `before` and `inside` compute (x - mean) / std of the input (default none).
/// - mean, std: the constants for normalize.
/// - train: does a step of training: forward, cross-entropy, backward, SGD. The logits are those of
///   the forward pass.
/// - learning_rate: with 0, the default, weights do not change, so that all steps can be compared.
///   The work of a step is the same with every rate.
struct Model {
  static constexpr std::string_view name = "model";
  static constexpr std::string_view about =
      "logits of a network: [n, 3, h, w] to [n, 1000, 1, 1]; runs in a peer only";
  static constexpr Roles roles{.peer_only = true};
  static constexpr std::int64_t channels = 3, classes = 1000;  // those of ImageNet

  std::string network = {};
  ModelNormalize normalize = ModelNormalize::None;
  std::vector<double> mean = {}, std = {};  // one value, or one per channel; empty: missing
  bool train = false;
  double learning_rate = 0;

  static Model read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

}  // namespace normbench
