/// What the threads of the element-wise kernels do.
#pragma once

#include <cstdint>

#include "backend/cuda/divisor.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/values.cuh"

namespace normbench::cuda {

template <class In, class Out>
struct CastBody {
  std::int64_t threads;
  const In* in;
  Out* out;

  __host__ __device__ void operator()(std::int64_t i) const {
    out[i] = to_value<Out>(to_float(in[i]));
  }
};

struct Subtract {
  static __host__ __device__ float apply(float x, float constant) { return x - constant; }
};

struct Divide {
  static __host__ __device__ float apply(float x, float constant) { return x / constant; }
};

template <class T, class Operation>
struct BroadcastBody {
  std::int64_t threads;
  const T* in;
  T* out;
  const float* constants;
  Divisor inner, channels;

  __host__ __device__ std::int64_t channel(std::int64_t i) const {
    return channels.split(inner.split(i).quotient).remainder;
  }
  __host__ __device__ void operator()(std::int64_t i) const {
    out[i] = to_value<T>(Operation::apply(to_float(in[i]), constants[channel(i)]));
  }
};

/// Calls `use` with the body for the dtypes.
template <class Use>
auto with_cast_body(const CastArguments& a, Use use) {
  return with_type(a.from, [&]<class In>(std::type_identity<In>) {
    return with_type(a.to, [&]<class Out>(std::type_identity<Out>) {
      return use(CastBody<In, Out>{.threads = a.elements,
                                   .in = static_cast<const In*>(a.in),
                                   .out = static_cast<Out*>(a.out)});
    });
  });
}

template <class Operation, class Use>
auto with_broadcast_body(const BroadcastArguments& a, Use use) {
  return with_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    return use(BroadcastBody<T, Operation>{.threads = a.elements,
                                           .in = static_cast<const T*>(a.in),
                                           .out = static_cast<T*>(a.out),
                                           .constants = a.constants,
                                           .inner = Divisor::of(a.inner),
                                           .channels = Divisor::of(a.channels)});
  });
}

}  // namespace normbench::cuda
