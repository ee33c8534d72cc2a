#include "ops/flip.h"

#include "ops/checks.h"
#include "ops/tensor64.h"

namespace normbench {

FlipOp FlipOp::read(Reader& reader) { return {.axis = reader.word("axis", Flip::Horizontal)}; }

std::vector<TensorDesc> FlipOp::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return one_output(x.dtype, x.layout, x.shape, x.memory);
}

void FlipOp::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = mirrored(in[0], axis);
}

Accuracy FlipOp::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
