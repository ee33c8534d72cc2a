/// Pixels of three channels into three planes in one pass.
#pragma once

#include <cstdint>

#include "backend/cuda/fused.cuh"

namespace normbench::cuda {

/// As Fused, for a walk over the pixels of contiguous rows: a thread reads the 3 * count elements
/// of count pixels and stores 16 bytes to each plane. The planes start equally far past a multiple
/// of 16 bytes.
template <class In, class Out, class Function>
struct Planes3 {
  static constexpr int count = slot_elements<Out>;
  static constexpr int depth = sizeof(Pack<In, 3 * count>) > 24 ? 1 : 2;

  std::int64_t threads;
  Walk walk;
  Slots slots;
  const In* in;
  Out* out;
  bool streaming;
  Function function;
  std::int64_t plane;  // elements from plane to plane

  __host__ __device__ void operator()(std::int64_t thread) const {
    const Share share = slots.share(thread);
    const RunStart start = walk.start(share.run);
    const In* from = in + start.in;
    Out* to = out + start.out;
    const std::int64_t first = share.first * count - phase_of(to), step = share.step * count;
    Pack<In, 3 * count> loaded[depth] = {};
    unrolled<depth>([&](int u) {
      if (is_whole(u, first + u * step))
        loaded[u] = load_pack<3 * count>(from + 3 * (first + u * step));
    });
    unrolled<depth>([&](int u) {
      if (is_whole(u, first + u * step)) store(to + first + u * step, loaded[u]);
    });
    for (int u = 0; u < slots.depth; ++u)
      if (!is_whole(u, first + u * step)) part(from, to, first + u * step);
  }

 private:
  __host__ __device__ bool is_whole(int u, std::int64_t first) const {
    return u < slots.depth && first >= 0 && first + count <= walk.elements;
  }

  __host__ __device__ void store(Out* to, const Pack<In, 3 * count>& x) const {
    unrolled<3>([&](int c) {
      const auto constant = function.at(c);
      Pack<Out, count> y;
      unrolled<count>([&](int j) { y.set(j, Function::apply(x.get(3 * j + c), constant)); });
      store_pack(to + c * plane, y, streaming);
    });
  }

  __host__ __device__ void part(const In* from, Out* to, std::int64_t first) const {
    const std::int64_t end = end_of_part(first, count, walk.elements);
    for (std::int64_t i = first < 0 ? 0 : first; i < end; ++i)
      for (int c = 0; c < 3; ++c)
        to[c * plane + i] = Function::apply(from[3 * i + c], function.at(c));
  }
};

}  // namespace normbench::cuda
