/// What a normalisation does to one element.
#pragma once

#include <algorithm>

#include "backend/cuda/fused_bodies.cuh"
#include "backend/cuda/normalize.h"

namespace normbench::cuda {

/// The constants of one channel.
struct MultiplyAdd {
  float a, b;
};

template <class In, class Out>
struct Affine {
  const float *sent_a, *sent_b;
  float a[most_channels], b[most_channels];

  __host__ __device__ MultiplyAdd at(std::int64_t channel) const {
    if (sent_a != nullptr) return {sent_a[channel], sent_b[channel]};
    return {a[channel], b[channel]};
  }
  static __host__ __device__ Out apply(In x, MultiplyAdd k) {
    return to_value<Out>(fmaf(to_float(x), k.a, k.b));
  }

  static Affine of(const NormalizeArguments& arguments) {
    Affine affine{.sent_a = arguments.sent_a, .sent_b = arguments.sent_b, .a = {}, .b = {}};
    std::ranges::copy(arguments.a, affine.a);
    std::ranges::copy(arguments.b, affine.b);
    return affine;
  }
};

/// Calls `use(body)` with the body of a normalisation to Out, and gives what it gives.
template <class Out, class Use>
auto with_normalize(const NormalizeArguments& arguments, Use use) {
  return with_type(arguments.task.in.desc.dtype, [&]<class In>(std::type_identity<In>) {
    return with_body<In, Out>(arguments.task, Affine<In, Out>::of(arguments), use);
  });
}

}  // namespace normbench::cuda
