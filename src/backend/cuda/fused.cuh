/// One pass over an output: every element read once, changed by a function, stored once, in whole
/// 16-byte stores but for the ends of runs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"
#include "backend/cuda/walk.h"

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

/// Pixels of three channels into three planes. As Fused, for a walk over the pixels of contiguous
/// rows: a thread reads the 3 * count elements of count pixels and stores 16 bytes to each plane.
/// The planes start equally far past a multiple of 16 bytes.
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

/// True if pixels of three channels go to planes that start equally far past a multiple of 16
/// bytes.
inline bool goes_to_planes3(const FusedTask& task) {
  const TensorDesc &in = task.in.desc, &out = task.out.desc;
  const std::int64_t plane_bytes = out.shape.h * out.shape.w * size_of(out.dtype);
  return out.layout == Layout::Nchw && out.shape.c == 3 && in.strides.c == 1 && in.strides.w == 3 &&
         plane_bytes % 16 == 0;
}

/// The descriptions with pixels for elements, for a walk over the first plane.
inline FusedTask first_plane(const FusedTask& task) {
  FusedTask plane = task;
  plane.in.desc.shape.c = 1;
  plane.out.desc.shape.c = 1;
  return plane;
}

/// Fills what all bodies have in common.
template <class In, class Out, class Body, class Function>
Body make_body(const FusedTask& task, const Walk& walk, const Function& function) {
  const auto address = reinterpret_cast<std::uintptr_t>(task.out.data);
  const Slots slots = Slots::of(walk, address, sizeof(Out), Body::depth, task.enough_threads);
  Body body{};
  body.threads = slots.threads;
  body.walk = walk;
  body.slots = slots;
  body.in = reinterpret_cast<const In*>(task.in.data);
  body.out = reinterpret_cast<Out*>(task.out.data);
  body.streaming = task.streaming;
  body.function = function;
  return body;
}

/// Calls `use(body)` with the body that does the task in one pass, and gives what it gives.
template <class In, class Out, class Function, class Use>
auto with_body(const FusedTask& task, const Function& function, Use use) {
  const auto fused = [&]<class Pattern>(Pattern, const Walk& walk) {
    auto body = make_body<In, Out, Fused<Pattern, In, Out, Function>>(task, walk, function);
    body.step = Spot::at(walk, std::int64_t{body.count} << body.slots.lane_bits, 0);
    return use(body);
  };
  if (goes_to_planes3(task)) {
    const FusedTask first = first_plane(task);
    const Walk walk = make_walk(first.in.desc, first.out.desc, true);
    auto body = make_body<In, Out, Planes3<In, Out, Function>>(task, walk, function);
    body.plane = task.out.desc.strides.c;
    return use(body);
  }
  const Walk walk = make_walk(task.in.desc, task.out.desc, task.alike);
  if (walk.period.divisor > 1) return fused(Pixels{}, walk);
  if (walk.is_contiguous()) return fused(Contiguous{}, walk);
  return fused(Strided{}, walk);
}

/// What a move does to one element: nothing.
struct NoConstant {};

template <class T>
struct Identity {
  __host__ __device__ NoConstant at(std::int64_t) const { return {}; }
  static __host__ __device__ T apply(T x, NoConstant) { return x; }
};

/// Calls `use(body)` with the body of a move, by the size of an element.
template <class Use>
auto with_move(const FusedTask& task, Use use) {
  return with_type(task.out.desc.dtype, [&]<class T>(std::type_identity<T>) {
    using Bits = typename Unsigned<sizeof(T)>::type;
    return with_body<Bits, Bits>(task, Identity<Bits>{}, use);
  });
}

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
