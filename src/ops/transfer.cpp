#include "ops/transfer.h"

#include <fmt/format.h>

namespace normbench {
namespace {

/// Returns the output of a copy to the device. Throws Invalid if the input is already there.
std::vector<TensorDesc> sent(const TensorDesc& x) {
  if (x.memory == Memory::Device) throw Invalid("input is already on the device");
  return one_output(x.dtype, x.layout, x.shape, Memory::Device);
}

}  // namespace

// The place of a transfer is the device, so its read and written bytes are those in device memory.
// The bytes that it moves in host memory are counted as bytes over the link.

std::vector<TensorDesc> H2d::infer(std::span<const TensorDesc> in) const {
  return sent(only_input(in));
}

Cost H2d::fewest(std::span<const TensorDesc>, std::span<const TensorDesc> out) const {
  const std::int64_t bytes = total_bytes(out);
  return {.written_bytes = bytes, .link_bytes = bytes};
}

std::vector<TensorDesc> D2h::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (x.memory != Memory::Device) throw Invalid("input is already in host memory");
  return one_output(x.dtype, x.layout, x.shape, Memory::Pageable);
}

Cost D2h::fewest(std::span<const TensorDesc> in, std::span<const TensorDesc>) const {
  const std::int64_t bytes = total_bytes(in);
  return {.read_bytes = bytes, .link_bytes = bytes};
}

std::vector<TensorDesc> Exchange::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  auto out = sent(x);
  if (!is_page_locked(x.memory))
    throw Invalid(
        fmt::format("{} memory cannot be copied both ways at once (use pinned, "
                    "registered, write_combined or mapped memory)",
                    name_of(x.memory)));
  return out;
}

Cost Exchange::fewest(std::span<const TensorDesc>, std::span<const TensorDesc> out) const {
  const std::int64_t bytes = total_bytes(out);
  return {.read_bytes = bytes, .written_bytes = bytes, .link_bytes = 2 * bytes};
}

}  // namespace normbench
