#include "ops/stream.h"

#include <algorithm>

#include "ops/checks.h"

namespace normbench {
namespace {

constexpr std::int64_t most_parts = 65536;

/// Bytes without a meaning: any is right.
constexpr Accuracy anything{.low = 0, .high = 255, .error = 255};

std::vector<TensorDesc> plain_bytes(std::int64_t bytes, Memory memory) {
  return one_output(DType::UInt8, Layout::Nchw, {.n = 1, .c = 1, .h = 1, .w = bytes}, memory);
}

}  // namespace

Stream Stream::read(Reader& reader) {
  const Stream op{.read_parts = reader.integer("read", 1, 0, most_parts),
                  .write_parts = reader.integer("write", 1, 0, most_parts)};
  if (op.read_parts == 0 && op.write_parts == 0)
    reader.complain("must read or write (\"read\" and \"write\" are both 0)");
  return op;
}

std::vector<TensorDesc> Stream::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (read_parts == 0) return plain_bytes(x.bytes(), x.memory);
  // Parts multiplied after the division, so that the product cannot overflow.
  const std::int64_t whole = x.bytes() / read_parts, rest = x.bytes() % read_parts;
  check_size(DType::UInt8, {.n = 1, .c = 1, .h = whole, .w = write_parts});
  return plain_bytes(
      std::max<std::int64_t>(1, whole * write_parts + rest * write_parts / read_parts), x.memory);
}

void Stream::reference(std::span<const Tensor64>, std::span<Tensor64> out, std::int64_t) const {
  std::ranges::fill(out[0].values, 0.0);
}

Accuracy Stream::accuracy(std::span<const Accuracy>, std::span<const TensorDesc>) const {
  return anything;
}

FirstTouch FirstTouch::read(Reader&) { return {}; }

std::vector<TensorDesc> FirstTouch::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return plain_bytes(x.bytes(), x.memory);
}

void FirstTouch::reference(std::span<const Tensor64>, std::span<Tensor64> out, std::int64_t) const {
  std::ranges::fill(out[0].values, 0.0);
}

Accuracy FirstTouch::accuracy(std::span<const Accuracy>, std::span<const TensorDesc>) const {
  return anything;
}

}  // namespace normbench
