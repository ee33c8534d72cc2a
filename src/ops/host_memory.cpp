#include "ops/host_memory.h"

#include <fmt/format.h>

#include "ops/checks.h"

namespace normbench {
namespace {

/// Throws Invalid unless `x` is pageable host memory.
void check_pageable(const TensorDesc& x) {
  if (x.memory == Memory::Device) throw Invalid("input is in device memory (add a d2h stage)");
  if (cuda_owns(x.memory))
    throw Invalid(fmt::format("input is in {} memory, which the GPU reaches already (remove this)",
                              name_of(x.memory)));
}

}  // namespace

Pin Pin::read(Reader&) { return {}; }

std::vector<TensorDesc> Pin::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  check_pageable(x);
  return one_output(x.dtype, x.layout, x.shape, Memory::Pinned);
}

void Pin::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
}

Accuracy Pin::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

Register Register::read(Reader&) { return {}; }

std::vector<TensorDesc> Register::infer(std::span<const TensorDesc> in) const {
  TensorDesc x = only_input(in);
  check_pageable(x);
  x.memory = Memory::Registered;
  return {x};
}

void Register::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                         std::int64_t) const {
  out[0] = in[0];
}

Accuracy Register::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

Unregister Unregister::read(Reader&) { return {}; }

std::vector<TensorDesc> Unregister::infer(std::span<const TensorDesc> in) const {
  if (in.size() != 2)
    throw Invalid(fmt::format("needs 2 inputs, what passes through and what is registered, got {}",
                              in.size()));
  if (in[1].memory != Memory::Registered)
    throw Invalid(
        fmt::format("second input is in {} memory, not registered (give what register gave)",
                    name_of(in[1].memory)));
  TensorDesc x = in[0];
  if (x.memory == Memory::Registered) x.memory = Memory::Pageable;
  return {x};
}

void Unregister::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                           std::int64_t) const {
  out[0] = in[0];
}

Accuracy Unregister::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
