#include "ops/transfer.h"

#include <fmt/format.h>

#include "ops/checks.h"

namespace normbench {

H2d H2d::read(Reader&) { return {}; }

std::vector<TensorDesc> H2d::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (x.memory == Memory::Device) throw Invalid("input is already on the device");
  return one_output(x.dtype, x.layout, x.shape, Memory::Device);
}

void H2d::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
}

Accuracy H2d::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

D2h D2h::read(Reader&) { return {}; }

std::vector<TensorDesc> D2h::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (x.memory != Memory::Device) throw Invalid("input is already in host memory");
  return one_output(x.dtype, x.layout, x.shape, Memory::Pageable);
}

void D2h::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
}

Accuracy D2h::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

Exchange Exchange::read(Reader&) { return {}; }

std::vector<TensorDesc> Exchange::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (x.memory == Memory::Device) throw Invalid("input is already on the device");
  if (!cuda_owns(x.memory) || x.memory == Memory::Managed)
    throw Invalid(
        fmt::format("{} memory cannot be copied both ways at once (use pinned, "
                    "registered, write_combined or mapped memory)",
                    name_of(x.memory)));
  return one_output(x.dtype, x.layout, x.shape, Memory::Device);
}

void Exchange::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                         std::int64_t) const {
  out[0] = in[0];
}

Accuracy Exchange::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
