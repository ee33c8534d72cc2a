#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// Launches `count` (default 1) empty kernels, or on the CPU (`"place": "cpu"`) starts and joins as
/// many teams of threads; the input passes through untouched.
struct EmptyLaunch {
  static constexpr std::string_view name = "launch";
  static constexpr std::string_view about =
      "launch an empty kernel, or start and join a team of threads: the limit of small work";

  std::int64_t count = 1;

  static EmptyLaunch read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

/// The host waits until the device has done all that was submitted; the input passes through.
struct Sync {
  static constexpr std::string_view name = "sync";
  static constexpr std::string_view about = "wait for the device (cudaStreamSynchronize)";

  static Sync read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench
