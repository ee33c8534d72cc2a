/// Kernel bodies (grid.h) that compute an output in one pass. Each element is read once, changed by
/// a function, and stored once. A slot is 16 bytes at an address that is a multiple of 16. Stores
/// fill whole slots, except at the ends of runs. A run has contiguous elements (walk.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"
#include "backend/cuda/planes.cuh"
#include "backend/cuda/walk.h"

namespace normbench::cuda {

/// The number of elements in a 16-byte slot.
template <class Out>
constexpr int slot_elements = 16 / static_cast<int>(sizeof(Out));

/// Returns the number of elements that precede `to` in its slot.
template <class Out>
__host__ __device__ std::int64_t phase_of(const Out* to) {
  return static_cast<std::int64_t>((reinterpret_cast<std::uintptr_t>(to) & 15) / sizeof(Out));
}

/// Returns the end of the slot of `count` elements that starts at `first`, or the end of the run,
/// `elements`, if that comes first.
__host__ __device__ inline std::int64_t end_of_part(std::int64_t first, std::int64_t count,
                                                    std::int64_t elements) {
  return first + count < elements ? first + count : elements;
}

/// The body of a fused kernel. A Function has
///   Constant at(std::int64_t channel) const;
///   void choose(Use use) const;                    // calls use(x) once; x.at(c) == at(c)
///   static Value apply(In x, Constant constant);   // an Out, or a float to be rounded to an Out
/// A thread reads only the elements from which its own outputs are computed, and it reads each
/// element before it writes the output of this element. So the output may be the input if both are
/// contiguous and their elements have the same size.
template <class Pattern, class In, class Out, class Function>
struct Fused {
  static constexpr int count = slot_elements<Out>;
  static constexpr int depth = Pattern::template depth<In, count>;  // slots of a thread
  /// The most registers of a thread. Converting 16 floats to bytes needs many registers.
  static constexpr unsigned registers = sizeof(Out) == 1 && sizeof(In) > 1 ? 128 : 80;

  std::int64_t threads;
  Walk walk;
  Slots slots;
  Spot step;  // the distance from a slot of a thread to the next slot of the same thread
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
        store(to + spot.first,
              Pattern::template apply<Out>(walk, function, start.channel, spot, loaded[u]));
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

  __host__ __device__ void store(Out* to, const Pack<Out, count>& pack) const {
    if (streaming)
      store_pack<true>(to, pack);
    else
      store_pack<false>(to, pack);
  }

  /// Computes the elements of a slot one by one. Leaves out the elements that lie outside the run.
  __host__ __device__ void part(const In* from, Out* to, std::int64_t channel, Spot spot) const {
    for (const std::int64_t end = end_of_part(spot.first, count, walk.elements); spot.first < end;
         spot = spot.next(walk, {1, 0, 1}))
      if (spot.first >= 0)
        to[spot.first] = element_of<Out>(
            Function::apply(from[spot.source(walk)], function.at(channel + spot.channel)));
  }
};

/// Applies a function to interleaved pixels of three channels and stores three planes, with any
/// crop, flip, alignment and dtype. `walk` and `slots` count only pixels of the first plane. Here a
/// slot has one pixel instead of 16 bytes.
template <class In, class Out, class Function>
struct PixelsApart {
  static constexpr int depth = 4;  // pixels of a thread

  std::int64_t threads;
  Walk walk;
  Slots slots;
  const In* in;
  Out* out;
  Function function;
  std::int64_t plane;  // elements from one plane to the next

  __host__ __device__ void operator()(std::int64_t thread) const {
    const Share share = slots.share(thread);
    const RunStart start = walk.start(share.run);
    const std::int64_t pixels = walk.elements - share.first;
    const In* from = in + start.in + share.first * walk.pixel;
    Out* to = out + start.out + share.first;
    In loaded[depth][3] = {};
    unrolled<depth>([&](int u) {
      if (u < slots.depth && u * share.step < pixels)
        unrolled<3>([&](int c) { loaded[u][c] = from[u * share.step * walk.pixel + c]; });
    });
    unrolled<depth>([&](int u) {
      if (u < slots.depth && u * share.step < pixels)
        unrolled<3>([&](int c) {
          to[u * share.step + c * plane] =
              element_of<Out>(Function::apply(loaded[u][c], function.at(c)));
        });
    });
  }
};

/// Returns the task with a single channel, for a walk over the pixels of the first plane.
inline FusedTask first_plane(const FusedTask& task) {
  FusedTask plane = task;
  plane.in.desc.shape.c = 1;
  plane.out.desc.shape.c = 1;
  return plane;
}

/// Returns the body of the type `Body` (a `Fused`) for a task.
template <class Body, class In, class Out, class Function>
Body fused(const FusedTask& task, const Walk& walk, const Function& function) {
  const auto address = reinterpret_cast<std::uintptr_t>(task.out.data);
  const Slots slots = Slots::of(walk, address, sizeof(Out), Body::depth, task.enough_threads);
  return {.threads = slots.threads,
          .walk = walk,
          .slots = slots,
          .step = Spot::at(walk, std::int64_t{Body::count} << slots.lane_bits, 0),
          .in = reinterpret_cast<const In*>(task.in.data),
          .out = reinterpret_cast<Out*>(task.out.data),
          .streaming = task.streaming,
          .function = function};
}

/// Returns the `PixelsApart` for a task.
template <class In, class Out, class Function>
PixelsApart<In, Out, Function> pixels_apart(const FusedTask& task, const Function& function) {
  using Body = PixelsApart<In, Out, Function>;
  const FusedTask first = first_plane(task);
  const Walk walk = make_walk(first.in.desc, first.out.desc, true);
  const Slots slots = Slots::of(walk, 0, slot_bytes, Body::depth, task.enough_threads);
  return {.threads = slots.threads,
          .walk = walk,
          .slots = slots,
          .in = reinterpret_cast<const In*>(task.in.data),
          .out = reinterpret_cast<Out*>(task.out.data),
          .function = function,
          .plane = task.out.desc.strides.c};
}

/// Calls `use(body)` with the fastest body that can do the task. Returns the result of `use`.
template <class In, class Out, class Function, class Use>
auto with_body(const FusedTask& task, const Function& function, Use use) {
  return with_bool(task.streaming, [&]<bool Streaming>(std::bool_constant<Streaming>) {
    if (takes_pixels_apart(task)) {
      if constexpr (sizeof(In) == 1) {
        const auto lean = [&]<bool Mirrored>(std::bool_constant<Mirrored>) {
          using Body = PixelsToPlanes<Out, Function, Mirrored, Streaming>;
          if (const auto body = pixels_to_planes<Body, Out>(task, Mirrored, function))
            return use(*body);
          return use(pixels_apart<In, Out>(task, function));
        };
        return with_bool(task.in.desc.strides.w < 0, lean);
      } else {
        return use(pixels_apart<In, Out>(task, function));
      }
    }
    if constexpr (sizeof(Out) == 1 && sizeof(In) > 1) {
      using Body = PlanesToPixels<In, Function, Streaming>;
      if (const auto body = planes_to_pixels<Body, In>(task, function)) return use(*body);
    }
    const Walk walk = make_walk(task.in.desc, task.out.desc, task.alike);
    constexpr bool halves_to_bytes = sizeof(In) == 2 && sizeof(Out) == 1;
    if constexpr (std::is_same_v<In, std::uint8_t> || std::is_same_v<In, float> ||
                  halves_to_bytes) {
      using Planes = PlanesToPlanes<In, Out, Function, 1, Streaming>;
      using Pixels3 = PlanesToPlanes<In, Out, Function, 3, Streaming>;
      if (const auto body = planes_to_planes<Planes, In, Out>(task, walk, function))
        return use(*body);
      if (const auto body = planes_to_planes<Pixels3, In, Out>(task, walk, function))
        return use(*body);
    }
    if (walk.period.divisor > 1)
      return use(fused<Fused<Pixels, In, Out, Function>, In, Out>(task, walk, function));
    if (walk.is_contiguous())
      return use(fused<Fused<Contiguous, In, Out, Function>, In, Out>(task, walk, function));
    return use(fused<Fused<Strided, In, Out, Function>, In, Out>(task, walk, function));
  });
}

/// The constant of a move, which leaves elements as they are.
struct NoConstant {};

template <class T>
struct Identity {
  __host__ __device__ NoConstant at(std::int64_t) const { return {}; }
  template <class Use>
  __host__ __device__ void choose(Use use) const {
    use(*this);
  }
  static __host__ __device__ T apply(T x, NoConstant) { return x; }
};

/// Calls `use(body)` with the body of a move, which depends only on the size of an element.
template <class Use>
auto with_move(const FusedTask& task, Use use) {
  return with_type(task.out.desc.dtype, [&]<class T>(std::type_identity<T>) {
    using Bits = typename Unsigned<sizeof(T)>::type;
    return with_body<Bits, Bits>(task, Identity<Bits>{}, use);
  });
}

/// The constants of one channel in x * a + b.
struct MultiplyAdd {
  float a, b;
};

/// The constants of all channels, in the kernel arguments or in device memory.
struct AffineTable {
  const float *a, *b;

  __host__ __device__ MultiplyAdd at(std::int64_t channel) const {
    return {a[channel], b[channel]};
  }
};

struct Affine {
  AffineTable sent;
  float a[most_channels], b[most_channels];

  __host__ __device__ MultiplyAdd at(std::int64_t channel) const {
    return sent.a != nullptr ? sent.at(channel) : AffineTable{a, b}.at(channel);
  }
  /// If there is a table `sent`, which is in device memory, calls `use` with it. Otherwise calls
  /// `use` with a table of `a` and `b`. The compiler makes separate code for each case.
  template <class Use>
  __host__ __device__ void choose(Use use) const {
    if (sent.a != nullptr)
      use(sent);
    else
      use(AffineTable{a, b});
  }
  template <class X>
  static __host__ __device__ float apply(X x, MultiplyAdd k) {
    return fmaf(to_float(x), k.a, k.b);
  }

  static Affine of(const NormalizeArguments& arguments) {
    Affine affine{.sent = {arguments.sent_a, arguments.sent_b}, .a = {}, .b = {}};
    std::ranges::copy(arguments.a, affine.a);
    std::ranges::copy(arguments.b, affine.b);
    return affine;
  }
};

/// Calls `use(body)` with the body of a normalisation to Out. Returns the result of `use`.
template <class Out, class Use>
auto with_normalize(const NormalizeArguments& arguments, Use use) {
  return with_type(arguments.task.in.desc.dtype, [&]<class In>(std::type_identity<In>) {
    return with_body<In, Out>(arguments.task, Affine::of(arguments), use);
  });
}

/// Calls `use(body)` with the body of a denormalisation from a float dtype to uint8. Returns the
/// result of `use`.
template <class Use>
auto with_denormalize(const NormalizeArguments& arguments, Use use) {
  return with_float_type(arguments.task.in.desc.dtype, [&]<class In>(std::type_identity<In>) {
    return with_body<In, std::uint8_t>(arguments.task, Affine::of(arguments), use);
  });
}

}  // namespace normbench::cuda
