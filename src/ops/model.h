#pragma once

#include <string>

#include "ops/checks.h"

namespace normbench {

/// Where the input of a network is normalised: nowhere, in a step before the network, or in the
/// network's first layer.
enum class ModelNormalize { None, Before, Inside };
constexpr auto words(ModelNormalize) {
  return std::to_array<Word<ModelNormalize>>({{ModelNormalize::None, "none"},
                                              {ModelNormalize::Before, "before"},
                                              {ModelNormalize::Inside, "inside"}});
}

/// Computes the logits of a network. It runs only in a peer (a program with another library, such
/// as PyTorch), which has the networks and their weights. The input has a float dtype, and the
/// output has the same dtype. Parameters:
/// - name: the name of the network.
/// - normalize: with `before` or `inside`, the input is normalised as (x - mean) / std (default
///   none).
/// - mean, std: the constants for normalize.
/// - train: also runs the rest of a training step: cross-entropy, backward pass, SGD. The logits
///   are those of the forward pass.
/// - learning_rate: with 0, the default, the weights do not change, so that the outputs of all
///   steps can be compared. A step does the same work at every rate.
struct Model {
  static constexpr std::string_view name = "model";
  static constexpr std::string_view about =
      "logits of a network: [n, 3, h, w] to [n, 1000, 1, 1]; runs in a peer only";
  static constexpr Roles roles{.peer_only = true};
  static constexpr std::int64_t channels = 3, classes = 1000;  // as in ImageNet

  std::string network = {};
  ModelNormalize normalize = ModelNormalize::None;
  std::vector<double> mean = {}, std = {};  // one value, or one per channel; empty if not given
  bool train = false;
  double learning_rate = 0;

  static Model read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

}  // namespace normbench
