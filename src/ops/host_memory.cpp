#include "ops/host_memory.h"

#include <fmt/format.h>

namespace normbench {
namespace {

/// Returns the only input. Throws Invalid if it is not in pageable host memory.
const TensorDesc& pageable_input(std::span<const TensorDesc> in) {
  const TensorDesc& x = only_input(in);
  if (x.memory == Memory::Device) throw Invalid("input is in device memory (add a d2h stage)");
  if (!is_pageable(x.memory))
    throw Invalid(fmt::format("input is in {} memory, which the GPU reaches already (remove this)",
                              name_of(x.memory)));
  return x;
}

}  // namespace

std::vector<TensorDesc> Pin::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = pageable_input(in);
  return one_output(x.dtype, x.layout, x.shape, Memory::Pinned);
}

std::vector<TensorDesc> Register::infer(std::span<const TensorDesc> in) const {
  TensorDesc x = pageable_input(in);
  x.memory = Memory::Registered;
  return {x};
}

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

}  // namespace normbench
