/// One pass over an output: every element read once, changed by a function, stored once, in whole
/// 16-byte stores but for the ends of runs.
#pragma once

#include <cstdint>

#include "backend/cuda/patterns.cuh"
#include "backend/cuda/slots.h"

namespace normbench::cuda {

/// The elements of a 16-byte slot.
template <class Out>
constexpr int slot_elements = 16 / static_cast<int>(sizeof(Out));

/// Elements of the slot of `to` that lie before it.
template <class Out>
__host__ __device__ std::int64_t phase_of(const Out* to) {
  return static_cast<std::int64_t>((reinterpret_cast<std::uintptr_t>(to) & 15) / sizeof(Out));
}

/// Where the part of a run ends that a slot of `count` elements from `first` on holds.
__host__ __device__ inline std::int64_t end_of_part(std::int64_t first, std::int64_t count,
                                                    std::int64_t elements) {
  return first + count < elements ? first + count : elements;
}

/// The body of a fused kernel. A Function has
///   Constant at(std::int64_t channel) const;
///   static Out apply(In x, Constant constant);
/// Each element is read before it is written, by the same thread, and nothing else is: the output
/// may be the input where both are contiguous and their elements of one size.
template <class Pattern, class In, class Out, class Function>
struct Fused {
  static constexpr int count = slot_elements<Out>;
  static constexpr int depth = Pattern::template depth<In, count>;  // slots of a thread

  std::int64_t threads;
  Walk walk;
  Slots slots;
  Spot step;  // from a thread's slot to its next
  const In* in;
  Out* out;
  bool streaming;
  Function function;

  __host__ __device__ void operator()(std::int64_t thread) const {
    const Share share = slots.share(thread);
    const RunStart start = walk.start(share.run);
    const In* from = in + start.in;
    Out* to = out + start.out;
    Pack<In, count> loaded[depth] = {};
    const Spot begin = Spot::at(walk, share.first * count - phase_of(to), count);
    Spot spot = begin;
    unrolled<depth>([&](int u) {
      if (is_whole(u, spot.first)) loaded[u] = Pattern::template load<count>(walk, from, spot);
      spot = spot.next(walk, step);
    });
    spot = begin;
    unrolled<depth>([&](int u) {
      if (is_whole(u, spot.first))
        store_pack(to + spot.first,
                   Pattern::template apply<Out>(walk, function, start.channel, spot, loaded[u]),
                   streaming);
      spot = spot.next(walk, step);
    });
    spot = begin;
    for (int u = 0; u < slots.depth; ++u) {
      if (!is_whole(u, spot.first)) part(from, to, start.channel, spot);
      spot = spot.next(walk, step);
    }
  }

 private:
  __host__ __device__ bool is_whole(int u, std::int64_t first) const {
    return u < slots.depth && first >= 0 && first + count <= walk.elements;
  }

  /// Those elements of a slot that are in the run, one by one.
  __host__ __device__ void part(const In* from, Out* to, std::int64_t channel, Spot spot) const {
    for (const std::int64_t end = end_of_part(spot.first, count, walk.elements); spot.first < end;
         spot = spot.next(walk, {1, 0, 1}))
      if (spot.first >= 0)
        to[spot.first] =
            Function::apply(from[spot.source(walk)], function.at(channel + spot.channel));
  }
};

}  // namespace normbench::cuda
