#include "ops/layout.h"

#include "ops/checks.h"

namespace normbench {

LayoutOp LayoutOp::read(Reader& reader) { return {.to = reader.word("to", Layout::Nchw)}; }

std::vector<TensorDesc> LayoutOp::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return one_output(x.dtype, to, x.shape, x.memory);
}

void LayoutOp::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                         std::int64_t) const {
  out[0] = in[0];
}

Accuracy LayoutOp::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
