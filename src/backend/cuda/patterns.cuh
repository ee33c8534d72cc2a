/// How the elements of a run are read, and which constants they get.
///
/// A pattern has `depth`, the slots of a thread: their loads are under way together. Some 16 to 32
/// bytes a thread fill the memory system of a GPU; more cost registers, and so threads.
#pragma once

#include <cstdint>

#include "backend/cuda/pack.cuh"
#include "backend/cuda/walk.h"

namespace normbench::cuda {

/// Element `first` of a run, which is channel `channel` of the run's pixel `pixel`.
struct Spot {
  std::int64_t first, pixel;
  std::int32_t channel;

  /// The spot `first` elements into a run, or no more than `count` before it.
  static __host__ __device__ Spot at(const Walk& walk, std::int64_t first, std::int64_t count) {
    const auto [pixel, channel] = walk.period.split(first + count * walk.period.divisor);
    return {first, pixel - count, static_cast<std::int32_t>(channel)};
  }

  /// Its element of the input, from the run's first.
  __host__ __device__ std::int64_t source(const Walk& walk) const {
    return pixel * walk.pixel + channel * walk.channel;
  }

  /// Further on by a whole number of elements, given also as pixels and channels.
  __host__ __device__ Spot next(const Walk& walk, const Spot& by) const {
    const auto period = static_cast<std::int32_t>(walk.period.divisor);
    const std::int32_t c = channel + by.channel;
    const bool past = c >= period;
    return {first + by.first, pixel + by.pixel + (past ? 1 : 0), past ? c - period : c};
  }
};

/// A run of one channel whose input is a run as well.
struct Contiguous {
  template <class In, int Count>
  static constexpr int depth = sizeof(Pack<In, Count>) > 8 ? 2 : 4;

  template <int Count, class In>
  static __host__ __device__ Pack<In, Count> load(const Walk&, const In* from, const Spot& spot) {
    return load_pack<Count>(from + spot.first);
  }

  template <class Out, class Function, class In, int Count>
  static __host__ __device__ Pack<Out, Count> apply(const Walk&, const Function& function,
                                                    std::int64_t channel, const Spot&,
                                                    const Pack<In, Count>& x) {
    const auto constant = function.at(channel);
    Pack<Out, Count> y;
    unrolled<Count>([&](int j) { y.set(j, Function::apply(x.get(j), constant)); });
    return y;
  }
};

/// A run of one channel from anywhere: mirrored rows, one channel out of pixels.
struct Strided : Contiguous {
  template <class In, int Count>
  static constexpr int depth = 2;

  template <int Count, class In>
  static __host__ __device__ Pack<In, Count> load(const Walk& walk, const In* from,
                                                  const Spot& spot) {
    const In* next = from + spot.first * walk.pixel;
    Pack<In, Count> x;
    unrolled<Count>([&](int j) {
      x.set(j, *next);
      next += walk.pixel;
    });
    return x;
  }
};

/// A run of pixels, whose channels follow each other.
struct Pixels {
  template <class In, int Count>
  static constexpr int depth = Count > 4 ? 1 : 2;

  template <int Count, class In>
  static __host__ __device__ Pack<In, Count> load(const Walk& walk, const In* from,
                                                  const Spot& spot) {
    if (walk.is_contiguous()) return load_pack<Count>(from + spot.first);
    const auto period = static_cast<std::int32_t>(walk.period.divisor);
    const std::int64_t to_next_pixel = walk.pixel - (period - 1) * walk.channel;
    const In* next = from + spot.source(walk);
    std::int32_t c = spot.channel;
    Pack<In, Count> x;
    unrolled<Count>([&](int j) {
      x.set(j, *next);
      const bool last = ++c == period;
      next += last ? to_next_pixel : walk.channel;
      c = last ? 0 : c;
    });
    return x;
  }

  template <class Out, class Function, class In, int Count>
  static __host__ __device__ Pack<Out, Count> apply(const Walk& walk, const Function& function,
                                                    std::int64_t, const Spot& spot,
                                                    const Pack<In, Count>& x) {
    if (walk.period.divisor == 3) return apply3<Out>(function, spot.channel, x);
    const auto period = static_cast<std::int32_t>(walk.period.divisor);
    std::int32_t c = spot.channel;
    Pack<Out, Count> y;
    unrolled<Count>([&](int j) {
      y.set(j, Function::apply(x.get(j), function.at(c)));
      c = c + 1 == period ? 0 : c + 1;
    });
    return y;
  }

 private:
  /// All three constants are read by every thread, then selected: lanes that index a table of
  /// constants differently would wait for each other.
  template <class Out, class Function, class In, int Count>
  static __host__ __device__ Pack<Out, Count> apply3(const Function& function, std::int32_t channel,
                                                     const Pack<In, Count>& x) {
    const auto k0 = function.at(0), k1 = function.at(1), k2 = function.at(2);
    const auto a = channel == 0 ? k0 : channel == 1 ? k1 : k2;
    const auto b = channel == 0 ? k1 : channel == 1 ? k2 : k0;
    const auto c = channel == 0 ? k2 : channel == 1 ? k0 : k1;
    Pack<Out, Count> y;
    unrolled<Count>([&](int j) {
      y.set(j, Function::apply(x.get(j), j % 3 == 0 ? a : j % 3 == 1 ? b : c));
    });
    return y;
  }
};

}  // namespace normbench::cuda
