/// The CPU kernels of `moments`, `scale_shift` and the other ops into which an eager chain splits a
/// group norm or batch norm. Each op is a separate pass over its data.
#include "ops/group_chain.h"

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/constants.h"
#include "backend/cpu/group_norm.h"
#include "backend/cpu/pairs_simd.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

template <class T>
bool accepts_dense(const T&, const Signature& s) {
  return all_dense(s) && s.in[0].elements() > 0;
}

Launch prepare_moments(const Moments& op, const Signature& s) {
  return
      [op, x = s.in[0]](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
        normalise_groups({.desc = x,
                          .groups = op.groups,
                          .eps = op.eps,
                          .x = in[0].data,
                          .found_mean = reinterpret_cast<float*>(out[0].data),
                          .found_rstd = reinterpret_cast<float*>(out[1].data)},
                         queue, Stores::Normal);
      };
}

/// Computes x * scale[c] + shift[c]. A null `shift` means 0.
void scale_channels(Queue& queue, const View& x, const View& out, const float* scale,
                    const float* shift, Stores stores) {
  const Constants2 table = repeat_channels(x.desc.shape.c, [&](std::int64_t c) {
    return std::pair<double, double>(scale[c], shift ? shift[c] : 0);
  });
  const RunFunction function = fma_function(x.desc.dtype, out.desc.dtype, stores);
  walk(x, out, queue, [&](const Run& run) {
    function(run, table.a.data(), table.b.data());
  });
}

bool accepts_scale_shift(const ScaleShift& op, const Signature& s) {
  return accepts_dense(op, s) && (op.over == Over::Group || walkable(s.in[0], s.out[0]));
}

Launch prepare_scale_shift(const ScaleShift& op, const Signature& s) {
  return [op, x = s.in[0], groups = s.in[1].shape.c, stores = suitable_stores(s)](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const float *first = floats_of(in[1]), *second = floats_of(in[2]);
    const Stores chosen = stores(queue.threads);
    if (op.over == Over::Channel)
      return scale_channels(queue, in[0], out[0], first, second, chosen);
    normalise_groups({.desc = x,
                      .groups = groups,
                      .x = in[0].data,
                      .mean = first,
                      .rstd = second,
                      .out = out[0].data},
                     queue, chosen);
  };
}

void walk_pairs(PairFunction function, const Queue& queue, std::span<const View> in,
                const View& out) {
  constexpr std::int64_t line = 64;
  const std::int64_t size = size_of(out.desc.dtype);
  split(queue, out.desc.elements(), line, [&](std::int64_t begin, std::int64_t end) {
    function(in[0].data + begin * size, in[1].data + begin * size, out.data + begin * size,
             end - begin);
  });
}

bool is_like(const TensorDesc& a, const TensorDesc& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.layout == b.layout;
}

bool accepts_mul(const Mul& op, const Signature& s) {
  return accepts_dense(op, s) && (is_like(s.in[0], s.in[1]) || walkable(s.in[0], s.out[0]));
}

Launch prepare_mul(const Mul&, const Signature& s) {
  return [alike = is_like(s.in[0], s.in[1]), dtype = s.in[0].dtype, stores = suitable_stores(s)](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const Stores chosen = stores(queue.threads);
    if (alike) return walk_pairs(multiply_function(dtype, chosen), queue, in, out[0]);
    scale_channels(queue, in[0], out[0], floats_of(in[1]), nullptr, chosen);
  };
}

Launch prepare_accumulate(const Accumulate&, const Signature& s) {
  return [dtype = s.in[0].dtype, stores = suitable_stores(s)](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    walk_pairs(add_function(dtype, stores(queue.threads)), queue, in, out[0]);
  };
}

/// Returns the number of groups into which the channels of an image are divided for summing. It is
/// the largest divisor of the number of channels that leaves at least `worth` elements to each
/// group, or 1. A group of `worth` elements is enough work for a thread.
std::int64_t groups_to_sum(const Shape& x) {
  constexpr std::int64_t worth = 8192;  // elements
  std::int64_t groups = x.c;
  while (groups > 1 && (x.c % groups != 0 || x.c / groups * x.h * x.w < worth)) --groups;
  return groups;
}

/// Sums x with the code that computes dbeta in a backward pass. That code sums dy, so x is passed
/// as dy.
Launch prepare_sum(const Sum&, const Signature& s) {
  return [x = s.in[0]](Queue& queue, std::span<const View> in, std::span<const View> out,
                       View scratch) {
    auto* sums = reinterpret_cast<Gradients*>(scratch.data);
    normalise_groups({.desc = x,
                      .groups = groups_to_sum(x.shape),
                      .x = in[0].data,
                      .dy = in[0].data,
                      .gradients = sums},
                     queue, Stores::Normal);
    sum_images(x.shape, sums, &Gradients::beta, nullptr, reinterpret_cast<float*>(out[0].data));
  };
}

Kernel sum_row() {
  Kernel kernel = row<Sum, accepts_dense<Sum>, prepare_sum>("simd");
  kernel.scratch = [](const Op&, const Signature& s) {
    return static_cast<std::size_t>(s.in[0].shape.n * s.in[0].shape.c) * sizeof(Gradients);
  };
  return kernel;
}

Launch prepare_batch_norm_backward(const BatchNormBackward&, const Signature& s) {
  return [x = s.in[1], groups = s.in[2].shape.c, stores = suitable_stores(s)](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    normalise_groups({.desc = x,
                      .groups = groups,
                      .x = in[1].data,
                      .dy = in[0].data,
                      .mean = floats_of(in[2]),
                      .rstd = floats_of(in[3]),
                      .out = out[0].data},
                     queue, stores(queue.threads));
  };
}

}  // namespace

std::span<const Kernel> group_chain_rows() {
  static const Kernel rows[] = {
      reference_row(Moments::name),
      row<Moments, accepts_dense<Moments>, prepare_moments>("simd"),
      reference_row(ScaleShift::name),
      row<ScaleShift, accepts_scale_shift, prepare_scale_shift>("simd"),
      reference_row(Mul::name),
      row<Mul, accepts_mul, prepare_mul>("simd"),
      reference_row(Sum::name),
      sum_row(),
      reference_row(BatchNormBackward::name),
      row<BatchNormBackward, accepts_dense<BatchNormBackward>, prepare_batch_norm_backward>("simd"),
      reference_row(Accumulate::name),
      row<Accumulate, accepts_dense<Accumulate>, prepare_accumulate>("simd")};
  return rows;
}

}  // namespace normbench
