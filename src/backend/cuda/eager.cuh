/// What the threads of the element-wise kernels do: 4 elements each, as eager frameworks have it.
///
/// Threads whose elements are whole vectors of 4 at multiples of their size load and store them at
/// once; which blocks have only such threads is decided on the host. A warp executes, on sm_90
/// (tests/backend/issue_budget.py):
///   COUNTS
#pragma once

#include <cstdint>

#include "backend/cuda/divisor.h"
#include "backend/cuda/grid.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"
#include "backend/cuda/values.cuh"

namespace normbench::cuda {

constexpr int elements_per_thread = 4;
constexpr std::int64_t elements_per_block = std::int64_t{elements_per_thread} * threads_per_block;

inline unsigned blocks_for(std::int64_t elements) {
  return static_cast<unsigned>((elements + elements_per_block - 1) / elements_per_block);
}
/// Of `elements` in a row, whose first ones are at `in` and `out`: blocks of whole vectors.
template <class In, class Out>
unsigned whole_blocks(const In* in, const Out* out, std::int64_t elements) {
  const bool aligned = is_aligned(in, elements_per_thread * sizeof(In)) &&
                       is_aligned(out, elements_per_thread * sizeof(Out));
  return aligned ? static_cast<unsigned>(elements / elements_per_block) : 0;
}

/// Changes the elements of one thread: all at once, or the first `left` one by one.
template <class In, class Out, class Change>
__host__ __device__ void change_elements(const In* in, Out* out, bool whole, std::int64_t left,
                                         Change change) {
  constexpr int count = elements_per_thread;
  float values[count] = {};
  if (whole) {
    const auto x = load_aligned<count>(in);
    unrolled<count>([&](int j) { values[j] = to_float(x.get(j)); });
    change(values);
    store_pack<false>(out, pack_of<Out, count>([&](int j) { return values[j]; }));
    return;
  }
  unrolled<count>([&](int j) {
    if (j < left) values[j] = to_float(in[j]);
  });
  change(values);
  unrolled<count>([&](int j) {
    if (j < left) out[j] = to_value<Out>(values[j]);
  });
}

template <class In, class Out>
struct CastBody {
  Grid grid;
  unsigned whole;  // blocks
  const In* in;
  Out* out;
  std::int64_t elements;

  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t first = at.x * elements_per_block + at.thread * elements_per_thread;
    change_elements(in + first, out + first, at.x < whole, elements - first, [](float*) {});
  }
};

struct Subtract {
  using Constant = float;
  static __host__ __device__ Constant constant(const float* constants, std::int64_t channel) {
    return constants[channel];
  }
  static __host__ __device__ void apply(float* x, const Constant* constants) {
    unrolled<elements_per_thread>([&](int j) { x[j] -= constants[j]; });
  }
};

/// A quotient from the divisor's inverse, corrected by its remainder: the same bits as those of a
/// division, in a third of its instructions (Markstein, "Computation of elementary functions on the
/// IBM RISC System/6000 processor", 1990). Where it could be out of range, a division.
struct Divide {
  struct Constant {
    float divisor, inverse;
  };
  static __host__ __device__ Constant constant(const float* constants, std::int64_t channel) {
    return {constants[2 * channel], constants[2 * channel + 1]};
  }
  static __host__ __device__ void apply(float* x, const Constant* constants) {
    constexpr std::uint32_t in_range = 1u << 30;  // set for exponents of -63 to 64, once shifted
    std::uint32_t all = in_range;
    float quotients[elements_per_thread];
    unrolled<elements_per_thread>([&](int j) {
      const auto [divisor, inverse] = constants[j];
      const float near = x[j] * inverse;
      quotients[j] = fmaf(fmaf(-near, divisor, x[j]), inverse, near);
      all &= __builtin_bit_cast(std::uint32_t, quotients[j]) + (64u << 23);
    });
    const bool right = (all & in_range) != 0;
    if (right)
      unrolled<elements_per_thread>([&](int j) { x[j] = quotients[j]; });
    else
      unrolled<elements_per_thread>([&](int j) { x[j] /= constants[j].divisor; });
  }
};

/// Planes of one channel each: the grid counts channels and images.
template <class T, class Operation>
struct PlanesBody {
  Grid grid;
  unsigned whole;  // blocks of a plane
  const T* in;
  T* out;
  const float* constants;
  std::int64_t plane;  // elements

  __host__ __device__ void operator()(const Index& at) const {
    const auto one = Operation::constant(constants, at.y);
    const std::int64_t first = at.x * elements_per_block + at.thread * elements_per_thread;
    const std::int64_t i = (at.z * grid.y + at.y) * plane + first;
    change_elements(in + i, out + i, at.x < whole, plane - first, [&](float* x) {
      const typename Operation::Constant all[] = {one, one, one, one};
      Operation::apply(x, all);
    });
  }
};

/// Channels in any order: each thread finds that of its first element, and goes on from there.
template <class T, class Operation>
struct BroadcastBody {
  Grid grid;
  unsigned whole;  // blocks
  const T* in;
  T* out;
  const float* constants;
  std::int64_t elements;
  Divisor inner, channels;

  /// The channel of element `i`, and its elements before that one.
  __host__ __device__ Quotient channel(std::int64_t i) const {
    const Quotient plane = inner.split(i);
    return {channels.split(plane.quotient).remainder, plane.remainder};
  }
  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t first = at.x * elements_per_block + at.thread * elements_per_thread;
    auto [c, before] = channel(first);
    typename Operation::Constant all[elements_per_thread];
    unrolled<elements_per_thread>([&](int j) {
      all[j] = Operation::constant(constants, c);
      if (++before < inner.divisor) return;
      before = 0;
      if (++c == channels.divisor) c = 0;
    });
    change_elements(in + first, out + first, at.x < whole, elements - first,
                    [&](float* x) { Operation::apply(x, all); });
  }
};

/// Calls `use` with the body for the dtypes.
template <class Use>
auto with_cast_body(const CastArguments& a, Use use) {
  return with_type(a.from, [&]<class In>(std::type_identity<In>) {
    return with_type(a.to, [&]<class Out>(std::type_identity<Out>) {
      const auto* in = static_cast<const In*>(a.in);
      auto* out = static_cast<Out*>(a.out);
      return use(CastBody<In, Out>{.grid = {blocks_for(a.elements)},
                                   .whole = whole_blocks(in, out, a.elements),
                                   .in = in,
                                   .out = out,
                                   .elements = a.elements});
    });
  });
}

template <class Operation, class Use>
auto with_broadcast_body(const BroadcastArguments& a, Use use) {
  return with_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    const auto* in = static_cast<const T*>(a.in);
    auto* out = static_cast<T*>(a.out);
    const std::int64_t planes = a.elements / a.inner, images = planes / a.channels;
    if (a.inner >= elements_per_thread && a.channels <= most_blocks_across &&
        images <= most_blocks_across) {
      const bool alike = planes == 1 || a.inner % elements_per_thread == 0;
      return use(
          PlanesBody<T, Operation>{.grid = {blocks_for(a.inner), static_cast<unsigned>(a.channels),
                                            static_cast<unsigned>(images)},
                                   .whole = alike ? whole_blocks(in, out, a.inner) : 0,
                                   .in = in,
                                   .out = out,
                                   .constants = a.constants,
                                   .plane = a.inner});
    }
    return use(BroadcastBody<T, Operation>{.grid = {blocks_for(a.elements)},
                                           .whole = whole_blocks(in, out, a.elements),
                                           .in = in,
                                           .out = out,
                                           .constants = a.constants,
                                           .elements = a.elements,
                                           .inner = Divisor::of(a.inner),
                                           .channels = Divisor::of(a.channels)});
  });
}

}  // namespace normbench::cuda
