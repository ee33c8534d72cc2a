/// The bodies of the element-wise kernels: 4 elements per thread, as in eager frameworks.
///
/// The first `whole` blocks access elements as whole, aligned vectors of 4. Later blocks access
/// elements one by one. The host computes `whole`. In the table, "25 of 40" means that one warp
/// executes 25 instructions for 128 elements in the first blocks on sm_90, and that
/// tests/backend/issue_budget.py allows 40:
///   cast         25 of 40
///   sub          27 of 40
///   div          40 of 44
///   scale_shift  34 of 40
///   two tensors  29 of 40
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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
/// Returns how many blocks of the grid work on whole vectors only. Returns 0 if `in` or `out` is
/// not aligned to a vector.
template <class In, class Out>
unsigned whole_blocks(const In* in, const Out* out, std::int64_t elements) {
  const bool aligned = is_aligned(in, elements_per_thread * sizeof(In)) &&
                       is_aligned(out, elements_per_thread * sizeof(Out));
  return aligned ? static_cast<unsigned>(elements / elements_per_block) : 0;
}

/// Loads a vector of 4 elements as floats x and calls `change(x, use)`. `change` must call
/// `use(y)`, which stores the 4 floats y as elements.
template <class In, class Out, class Change>
__host__ __device__ void change_vector(const In* in, Out* out, Change change) {
  constexpr int count = elements_per_thread;
  const auto x = load_aligned<count>(in);
  float values[count];
  unrolled<count>([&](int j) { values[j] = to_float(x.get(j)); });
  change(values, [&](const float* y) {
    store_pack<false>(out, pack_of<Out, count>([&](int j) { return y[j]; }));
  });
}

/// Does the same as change_vector(), but element by element. If `left` is less than 4, only the
/// first `left` of the 4 elements are loaded and stored.
template <class In, class Out, class Change>
__host__ __device__ void change_elements(const In* in, Out* out, std::int64_t left, Change change) {
  constexpr int count = elements_per_thread;
  float values[count] = {};
  unrolled<count>([&](int j) {
    if (j < left) values[j] = to_float(in[j]);
  });
  change(values, [&](const float* y) {
    unrolled<count>([&](int j) {
      if (j < left) out[j] = to_value<Out>(y[j]);
    });
  });
}

template <class In, class Out>
struct CastBody {
  Grid grid;
  unsigned whole;  // blocks of whole vectors only
  const In* in;
  Out* out;
  std::int64_t elements;

  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t first = at.x * elements_per_block + at.thread * elements_per_thread;
    const auto keep = [](const float* x, auto use) { use(x); };
    if (at.x < whole)
      change_vector(in + first, out + first, keep);
    else
      change_elements(in + first, out + first, elements - first, keep);
  }
};

struct Subtract {
  using Constant = float;
  using Constants = const float*;

  static Constants constants(const BroadcastArguments& a) { return a.constants; }

  template <class Use>
  static __host__ __device__ void apply(const float* x, const Constant* constants, Use use) {
    float differences[elements_per_thread];
    unrolled<elements_per_thread>([&](int j) { differences[j] = x[j] - constants[j]; });
    use(differences);
  }
};

/// Divides by multiplying with the divisor's inverse and correcting by the remainder. The result
/// has the same bits as a division, with a third of its instructions (Markstein, "Computation of
/// elementary functions on the IBM RISC System/6000 processor", 1990). If a step could underflow or
/// overflow, a division is used instead.
struct Divide {
  struct alignas(8) Constant {
    float divisor, inverse;
  };
  using Constants = const Constant*;

  static Constants constants(const BroadcastArguments& a) {
    return reinterpret_cast<Constants>(a.constants);
  }

  // If one element of a warp is zero or has a tiny quotient, the whole warp also executes the
  // divisions.
  template <class Use>
  static __host__ __device__ void apply(const float* x, const Constant* constants, Use use) {
    float quotients[elements_per_thread];
    bool right = true;
    unrolled<elements_per_thread>([&](int j) {
      const auto [divisor, inverse] = constants[j];
      const float near = x[j] * inverse;
      quotients[j] = fmaf(fmaf(-near, divisor, x[j]), inverse, near);
      right = right & (fabsf(quotients[j]) >= 0x1p-63f);  // false for NaN, which an overflow gives
    });
    if (right) return use(quotients);
    unrolled<elements_per_thread>([&](int j) { quotients[j] = x[j] / constants[j].divisor; });
    use(quotients);
  }
};

struct ScaleAndShift {
  struct Constant {
    float scale, shift;
  };
  struct Constants {
    const float *scales, *shifts;

    __host__ __device__ Constant operator[](std::int64_t channel) const {
      return {scales[channel], shifts ? shifts[channel] : 0};
    }
  };

  static Constants constants(const BroadcastArguments& a) { return {a.constants, a.shifts}; }

  template <class Use>
  static __host__ __device__ void apply(const float* x, const Constant* constants, Use use) {
    float y[elements_per_thread];
    unrolled<elements_per_thread>(
        [&](int j) { y[j] = fmaf(x[j], constants[j].scale, constants[j].shift); });
    use(y);
  }
};

/// Applies `Operation` to each pair of elements of two tensors.
template <class T, class Operation>
struct PairBody {
  Grid grid;
  unsigned whole;  // blocks of whole vectors only
  const T *a, *b;
  T* out;
  std::int64_t elements;

  __host__ __device__ void operator()(const Index& at) const {
    constexpr int count = elements_per_thread;
    const std::int64_t first = at.x * elements_per_block + at.thread * elements_per_thread;
    if (at.x < whole) {
      const auto x = load_aligned<count>(a + first), y = load_aligned<count>(b + first);
      store_pack<false>(out + first, pack_of<T, count>([&](int j) {
                          return Operation{}(to_float(x.get(j)), to_float(y.get(j)));
                        }));
      return;
    }
    unrolled<count>([&](int j) {
      if (first + j < elements)
        out[first + j] = to_value<T>(Operation{}(to_float(a[first + j]), to_float(b[first + j])));
    });
  }
};

struct Multiply {
  __host__ __device__ float operator()(float x, float y) const { return x * y; }
};
struct Add {
  __host__ __device__ float operator()(float x, float y) const { return x + y; }
};

/// Applies `Operation` to planes of one channel each. A plane consists of whole vectors. The grid
/// counts channels along y and images along z.
template <class T, class Operation>
struct PlanesBody {
  Grid grid;
  unsigned vectors;  // the number of vectors of a plane
  const T* in;
  T* out;
  typename Operation::Constants constants;

  __host__ __device__ void operator()(const Index& at) const {
    const unsigned vector = at.x * threads_per_block + at.thread;
    if (vector >= vectors) return;
    const std::uint64_t i =
        std::uint64_t{(at.z * grid.y + at.y) * vectors + vector} * elements_per_thread;
    const auto one = constants[at.y];
    change_vector(in + i, out + i, [&](const float* x, auto use) {
      const typename Operation::Constant all[] = {one, one, one, one};
      Operation::apply(x, all, use);
    });
  }
};

/// Applies `Operation` to elements in any layout. A thread computes the channel of its first
/// element by division, and the channels of its other elements by counting.
template <class T, class Operation>
struct BroadcastBody {
  Grid grid;
  unsigned whole;  // blocks of whole vectors only
  const T* in;
  T* out;
  typename Operation::Constants constants;
  std::int64_t elements;
  Divisor inner, channels;

  /// Returns the channel of element `i` as the quotient, and the index of the element in its plane
  /// as the remainder.
  __host__ __device__ Quotient channel(std::int64_t i) const {
    const Quotient plane = inner.split(i);
    return {channels.split(plane.quotient).remainder, plane.remainder};
  }
  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t first = at.x * elements_per_block + at.thread * elements_per_thread;
    auto [c, before] = channel(first);
    typename Operation::Constant all[elements_per_thread];
    unrolled<elements_per_thread>([&](int j) {
      all[j] = constants[c];
      if (++before < inner.divisor) return;
      before = 0;
      if (++c == channels.divisor) c = 0;
    });
    const auto change = [&](const float* x, auto use) { Operation::apply(x, all, use); };
    if (at.x < whole)
      change_vector(in + first, out + first, change);
    else
      change_elements(in + first, out + first, elements - first, change);
  }
};

/// Calls `use` with the cast body for the dtypes. Returns the result of `use`.
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
auto with_pair_body(const PairArguments& a, Use use) {
  return with_float_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    const auto *first = static_cast<const T*>(a.a), *second = static_cast<const T*>(a.b);
    auto* out = static_cast<T*>(a.out);
    return use(PairBody<T, Operation>{.grid = {blocks_for(a.elements)},
                                      .whole = std::min(whole_blocks(first, out, a.elements),
                                                        whole_blocks(second, out, a.elements)),
                                      .a = first,
                                      .b = second,
                                      .out = out,
                                      .elements = a.elements});
  });
}

template <class Operation, class Use>
auto with_broadcast_body(const BroadcastArguments& a, Use use) {
  return with_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    const auto* in = static_cast<const T*>(a.in);
    auto* out = static_cast<T*>(a.out);
    const auto constants = Operation::constants(a);
    const std::int64_t vectors = a.inner / elements_per_thread;
    const std::int64_t images = a.elements / (a.inner * a.channels);
    constexpr std::size_t vector_bytes = elements_per_thread * sizeof(T);
    if (a.inner % elements_per_thread == 0 && is_aligned(in, vector_bytes) &&
        is_aligned(out, vector_bytes) && a.channels <= most_blocks_across &&
        images <= most_blocks_across &&
        a.elements / elements_per_thread <= std::numeric_limits<std::int32_t>::max())
      return use(
          PlanesBody<T, Operation>{.grid = {blocks_for(a.inner), static_cast<unsigned>(a.channels),
                                            static_cast<unsigned>(images)},
                                   .vectors = static_cast<unsigned>(vectors),
                                   .in = in,
                                   .out = out,
                                   .constants = constants});
    return use(BroadcastBody<T, Operation>{.grid = {blocks_for(a.elements)},
                                           .whole = whole_blocks(in, out, a.elements),
                                           .in = in,
                                           .out = out,
                                           .constants = constants,
                                           .elements = a.elements,
                                           .inner = Divisor::of(a.inner),
                                           .channels = Divisor::of(a.channels)});
  });
}

}  // namespace normbench::cuda
