#include "backend/cpu/group_norm.h"

#include <algorithm>

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/rows.h"
#include "ops/checks.h"

namespace normbench {
namespace {

const TensorDesc& x_of(const GroupNorm& op, const Signature& s) {
  return s.in[static_cast<std::size_t>(op.inputs().x)];
}

bool accepts_fused(const GroupNorm& op, const Signature& s) {
  return x_of(op, s).elements() > 0 && std::ranges::all_of(s.in, &TensorDesc::is_dense) &&
         std::ranges::all_of(s.out, &TensorDesc::is_dense);
}

/// dgamma and dbeta: each channel's sums over the images, in their order.
void sum_images(const GroupNorm& op, const Shape& x, const Gradients* gradients,
                std::span<const View> in, std::span<const View> out) {
  const float* old_dgamma = floats_of(in, op.inputs().old_dgamma);
  const float* old_dbeta = floats_of(in, op.inputs().old_dbeta);
  for (std::int64_t c = 0; c < x.c; ++c) {
    Gradients sum;
    for (std::int64_t i = c; i < x.n * x.c; i += x.c)
      sum.gamma += gradients[i].gamma, sum.beta += gradients[i].beta;
    if (old_dgamma) sum.gamma += static_cast<double>(old_dgamma[c]);
    if (old_dbeta) sum.beta += static_cast<double>(old_dbeta[c]);
    floats_of(out[1])[c] = static_cast<float>(sum.gamma);
    floats_of(out[2])[c] = static_cast<float>(sum.beta);
  }
}

bool sums_images(const GroupNorm& op) { return op.direction == Direction::Backward && op.affine; }

std::size_t bytes_of_gradients(const GroupNorm& op, const Signature& s) {
  const Shape& shape = x_of(op, s).shape;
  return sums_images(op) ? static_cast<std::size_t>(shape.n * shape.c) * sizeof(Gradients) : 0;
}

template <StoresRule (*Rule)(const Signature&)>
Launch prepare_fused(const GroupNorm& op, const Signature& s) {
  return [op, stores = Rule(s), x = x_of(op, s)](Queue& queue, std::span<const View> in,
                                                 std::span<const View> out, View scratch) {
    auto* gradients = sums_images(op) ? reinterpret_cast<Gradients*>(scratch.data) : nullptr;
    const auto normalise = x.layout == Layout::Nchw ? normalise_planes : normalise_columns;
    normalise(op, queue, stores(queue.threads), in, out, gradients);
    if (gradients) sum_images(op, x.shape, gradients, in, out);
  };
}

template <StoresRule (*Rule)(const Signature&)>
Kernel fused_row(std::string_view name) {
  Kernel kernel = row<GroupNorm, accepts_fused, prepare_fused<Rule>>(name);
  kernel.scratch = [](const Op& op, const Signature& s) {
    return bytes_of_gradients(std::get<GroupNorm>(op), s);
  };
  return kernel;
}

}  // namespace

std::span<const Kernel> group_norm_rows() {
  static const Kernel rows[] = {reference_row(GroupNorm::name), fused_row<suitable_stores>("fused"),
                                fused_row<normal_stores>("fused_temporal")};
  return rows;
}

}  // namespace normbench
