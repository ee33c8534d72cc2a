#include "ops/copy.h"

#include "ops/checks.h"

namespace normbench {

Copy Copy::read(Reader&) { return {}; }

std::vector<TensorDesc> Copy::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return one_output(x.dtype, x.layout, x.shape, x.memory);
}

void Copy::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
}

Accuracy Copy::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
