#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// Reads its input once and writes `write`/`read` times as many bytes (one at least), as uint8 of
/// shape [1, 1, 1, bytes]. With `read` 0 it reads nothing and writes as many bytes as its input
/// has. The bytes written are undefined: any are within the bound.
struct Stream {
  static constexpr std::string_view name = "stream";
  static constexpr std::string_view about =
      "read and write memory in a given mix, no arithmetic: the limit";

  std::int64_t read_parts = 1, write_parts = 1;

  static Stream read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

/// Writes one byte per 4 KiB page of an output as large as its input.
struct FirstTouch {
  static constexpr std::string_view name = "first_touch";
  static constexpr std::string_view about =
      "touch every page of a fresh output: the cost of page faults";

  static FirstTouch read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  Accuracy accuracy(std::span<const Accuracy> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench
