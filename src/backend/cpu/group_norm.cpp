#include "backend/cpu/group_norm.h"

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/rows.h"
#include "ops/checks.h"

namespace normbench {
namespace {

const TensorDesc& x_of(const GroupNorm& op, const Signature& s) {
  return s.in[static_cast<std::size_t>(op.inputs().x)];
}

bool accepts_fused(const GroupNorm& op, const Signature& s) {
  return x_of(op, s).elements() > 0 && all_dense(s);
}

bool sums_images(const GroupNorm& op) { return op.direction == Direction::Backward && op.affine; }

std::size_t bytes_of_gradients(const GroupNorm& op, const Signature& s) {
  const Shape& shape = x_of(op, s).shape;
  return sums_images(op) ? static_cast<std::size_t>(shape.n * shape.c) * sizeof(Gradients) : 0;
}

GroupTensors tensors_of(const GroupNorm& op, std::span<const View> in, std::span<const View> out) {
  const GroupNorm::Inputs which = op.inputs();
  const auto data = [&](int input) {
    return input < 0 ? nullptr : in[static_cast<std::size_t>(input)].data;
  };
  const auto floats = [&](int input) { return reinterpret_cast<const float*>(data(input)); };
  GroupTensors all{.desc = out[0].desc,
                   .groups = op.groups,
                   .eps = op.eps,
                   .x = data(which.x),
                   .dy = data(which.dy),
                   .old_dx = data(which.old_dx),
                   .gamma = floats(which.gamma),
                   .beta = floats(which.beta),
                   .mean = floats(which.mean),
                   .rstd = floats(which.rstd),
                   .out = out[0].data};
  if (op.direction == Direction::Forward) {
    all.found_mean = reinterpret_cast<float*>(out[1].data);
    all.found_rstd = reinterpret_cast<float*>(out[2].data);
  }
  return all;
}

template <StoresRule (*Rule)(const Signature&)>
Launch prepare_fused(const GroupNorm& op, const Signature& s) {
  return [op, stores = Rule(s), x = x_of(op, s).shape](Queue& queue, std::span<const View> in,
                                                       std::span<const View> out, View scratch) {
    GroupTensors tensors = tensors_of(op, in, out);
    if (sums_images(op)) tensors.gradients = reinterpret_cast<Gradients*>(scratch.data);
    normalise_groups(tensors, queue, stores(queue.threads));
    if (!sums_images(op)) return;
    const auto old = static_cast<std::size_t>(op.inputs().old_dgamma);
    const auto sum = [&](double Gradients::*of, std::size_t i) {
      sum_images(x, tensors.gradients, of, op.accumulate ? floats_of(in[old + i]) : nullptr,
                 reinterpret_cast<float*>(out[1 + i].data));
    };
    sum(&Gradients::gamma, 0);
    sum(&Gradients::beta, 1);
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

void sum_images(const Shape& x, const Gradients* gradients, double Gradients::*of, const float* old,
                float* out) {
  for (std::int64_t c = 0; c < x.c; ++c) {
    double sum = 0;
    for (std::int64_t i = c; i < x.n * x.c; i += x.c) sum += gradients[i].*of;
    out[c] = static_cast<float>(old ? sum + static_cast<double>(old[c]) : sum);
  }
}

std::span<const Kernel> group_norm_rows() {
  static const Kernel rows[] = {reference_row(GroupNorm::name), fused_row<suitable_stores>("fused"),
                                fused_row<normal_stores>("fused_temporal")};
  return rows;
}

}  // namespace normbench
