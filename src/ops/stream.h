#pragma once

#include "ops/checks.h"

namespace normbench {

/// Reads its input once, and writes `write` / `read` times as many bytes, but at least one byte.
/// `read` and `write` are the op's parameters. If `read` is 0, the op reads nothing and writes as
/// many bytes as the input has. The output is uint8 [1, 1, 1, bytes] with undefined values.
struct Stream {
  static constexpr std::string_view name = "stream";
  static constexpr std::string_view about =
      "read and write memory in a given mix, no arithmetic: the limit";
  static constexpr Roles roles{.undefined = true, .takes_ycbcr = true, .limit = LimitKind::Memory};

  std::int64_t read_parts = 1, write_parts = 1;

  static Stream read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
  static std::vector<Stream> samples(const Shape& shape);
};

/// The numbers of bytes that an op, or all stages of a variant together, must read and write.
struct StreamMix {
  std::int64_t read = 0, written = 0;
  bool operator==(const StreamMix&) const = default;
};

/// Returns the bytes that a `stream` op reads and writes to show the speed limit of work that moves
/// `bytes`. The result equals `bytes`, with one exception: if the larger number is within 0.1 % of
/// k times the smaller number, for a whole k from 1 to 8, the larger number is replaced by this
/// multiple. So small tensors next to a large one, such as statistics, do not change the ratio of
/// read to written bytes.
StreamMix limit_mix(const StreamMix& bytes);

/// Writes one byte to each page of an output as large as its input.
struct FirstTouch {
  static constexpr std::string_view name = "first_touch";
  static constexpr std::string_view about =
      "touch every page of a fresh output: the cost of page faults";
  static constexpr Roles roles{
      .undefined = true, .takes_ycbcr = true, .limit = LimitKind::PageFaults};

  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
};

}  // namespace normbench
