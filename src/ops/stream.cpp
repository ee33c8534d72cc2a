#include "ops/stream.h"

#include <algorithm>

#include "machine/topology.h"

namespace normbench {
namespace {

constexpr std::int64_t most_parts = 65536;

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
  // The division comes before the multiplication, so that the product does not overflow.
  const std::int64_t whole = x.bytes() / read_parts, rest = x.bytes() % read_parts;
  check_size(DType::UInt8, {.n = 1, .c = 1, .h = whole, .w = write_parts});
  return plain_bytes(
      std::max<std::int64_t>(1, whole * write_parts + rest * write_parts / read_parts), x.memory);
}

Cost Stream::fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const {
  return {.read_bytes = read_parts == 0 ? 0 : total_bytes(in), .written_bytes = total_bytes(out)};
}

std::vector<Stream> Stream::samples(const Shape&) {
  std::vector<Stream> ops;
  for (const auto& [reads, writes] : {std::pair{1, 1}, {1, 4}, {4, 1}, {3, 5}, {0, 1}, {1, 0}})
    ops.push_back({.read_parts = reads, .write_parts = writes});
  return ops;
}

std::vector<TensorDesc> FirstTouch::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return plain_bytes(x.bytes(), x.memory);
}

Cost FirstTouch::fewest(std::span<const TensorDesc>, std::span<const TensorDesc> out) const {
  return {.written_bytes = (total_bytes(out) + page_bytes() - 1) / page_bytes()};
}

StreamMix limit_mix(const StreamMix& bytes) {
  constexpr std::int64_t most = 8, parts = 1000;
  const auto [less, more] = std::minmax(bytes.read, bytes.written);
  if (less == 0) return bytes;
  const std::int64_t times = (more + less / 2) / less;
  if (times > most || std::abs(more - times * less) > more / parts) return bytes;
  if (bytes.read < bytes.written) return {.read = less, .written = times * less};
  return {.read = times * less, .written = less};
}

}  // namespace normbench
