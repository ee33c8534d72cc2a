/// Ops that run the user's own Python code (see docs/python.md). They run only in a peer, a program
/// with another library, which has this code. The output of the code has no reference and is
/// compared with nothing. The peer reports what its arrays really are.
#pragma once

#include <optional>

#include "ops/checks.h"

namespace normbench {

/// Takes the next batch of the user's own loader, such as a DataLoader of PyTorch. Parameters:
/// - batch, channels, size, dtype, layout: the description of a batch, as the user gives it.
/// - cached: if true, all iterations get the first batch, as from a loader that takes no time.
struct OwnBatches {
  static constexpr std::string_view name = "batches";
  static constexpr std::string_view about =
      "batches of your own loader, such as a DataLoader; runs in a peer only";
  static constexpr Roles roles{.starts = true, .peer_only = true, .own_code = true};

  Shape shape{32, 3, 224, 224};  // batch, channels, size
  DType dtype = DType::Float32;
  Layout layout = Layout::Nchw;
  bool cached = false;

  static OwnBatches read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

/// Calls the user's own function on a batch. Parameters:
/// - channels, size, dtype, layout: the description of the result, as the user gives it; by default
///   that of the input.
struct OwnTransform {
  static constexpr std::string_view name = "transform";
  static constexpr std::string_view about =
      "your own function of a batch; what it computes is not checked; runs in a peer only";
  static constexpr Roles roles{.peer_only = true, .own_code = true};

  std::optional<std::int64_t> channels = {};
  std::optional<std::pair<std::int64_t, std::int64_t>> size = {};  // height, width
  std::optional<DType> dtype = {};
  std::optional<Layout> layout = {};

  static OwnTransform read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
};

/// Passes the batch to the user's own function for what follows the preprocessing, such as a
/// training step. The result of the function is dropped, and the batch passes through.
struct OwnStep {
  static constexpr std::string_view name = "step";
  static constexpr std::string_view about =
      "your own step with a batch, such as one of training; runs in a peer only";
  static constexpr Roles roles{
      .peer_only = true, .own_code = true, .passes_through = true, .needs_input = true};
};

}  // namespace normbench
