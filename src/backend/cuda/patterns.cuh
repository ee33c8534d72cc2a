/// A pattern loads elements of a run into registers, and applies a function to them with the
/// constants of their channels. A run has contiguous elements of the output (walk.h).
///
/// A pattern's `depth` is the number of slots (16 bytes of the output) that a thread loads before
/// it uses the first of them. About 16 to 32 loaded bytes per thread are enough to keep a GPU's
/// memory busy. More bytes take more registers, so that fewer threads run at once.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "backend/cuda/access.cuh"
#include "backend/cuda/values.cuh"
#include "backend/cuda/walk.h"

namespace normbench::cuda {

/// Calls `use(0)`, … `use(Count - 1)`. After inlining, each index is a constant. An array that is
/// indexed only by constants can stay in registers.
template <int Count, class Use>
__host__ __device__ void unrolled(Use use) {
  [&]<int... Index>(std::integer_sequence<int, Index...>) { (use(Index), ...); }
  (std::make_integer_sequence<int, Count>{});
}

/// Calls `use` with std::true_type or std::false_type. Returns the result of `use`.
template <class Use>
auto with_bool(bool value, Use use) {
  return value ? use(std::true_type{}) : use(std::false_type{});
}

/// The unsigned integer type with `Bytes` bytes.
template <std::size_t Bytes>
struct Unsigned;
template <>
struct Unsigned<1> : std::type_identity<std::uint8_t> {};
template <>
struct Unsigned<2> : std::type_identity<std::uint16_t> {};
template <>
struct Unsigned<4> : std::type_identity<std::uint32_t> {};

/// `Count` elements of type T, packed into words.
template <class T, int Count>
struct Pack {
  static constexpr int per_word = 4 / sizeof(T);
  static constexpr int words = Count / per_word;
  static constexpr int widest = words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;  // words of one access
  static_assert(words * per_word == Count);
  using Bits = typename Unsigned<sizeof(T)>::type;

  std::uint32_t word[words];

  /// Returns element `i`: a T, or a Byte if T has one byte.
  __host__ __device__ auto get(int i) const {
    if constexpr (sizeof(T) == 1)
      return Byte{word[i / per_word], i % per_word};
    else
      return __builtin_bit_cast(T, static_cast<Bits>(word[i / per_word] >> shift(i)));
  }
  /// Sets element `i`. Each element must be set once, in order.
  __host__ __device__ void set(int i, T value) {
    const std::uint32_t bits = __builtin_bit_cast(Bits, value);
    if (i % per_word == 0)
      word[i / per_word] = bits;
    else
      word[i / per_word] |= bits << shift(i);
  }

 private:
  static constexpr __host__ __device__ int shift(int i) {
    return i % per_word * 8 * static_cast<int>(sizeof(T));
  }
};

/// Loads `Count` elements. `from` must be aligned for the widest access of the pack (`Pack::widest`
/// words).
template <int Count, class T>
__host__ __device__ Pack<T, Count> load_aligned(const T* from) {
  using Loaded = Pack<T, Count>;
  constexpr int wide = Loaded::widest;
  Loaded pack;
  const auto* words = reinterpret_cast<const std::uint32_t*>(from);
  unrolled<Loaded::words / wide>(
      [&](int i) { load_words<wide>(words + i * wide, pack.word + i * wide); });
  return pack;
}

/// Loads `Count` elements: with the widest accesses if `from` is aligned for them, else one by one.
template <int Count, class T>
__host__ __device__ Pack<T, Count> load_pack(const T* from) {
  if (is_aligned(from, Pack<T, Count>::widest * 4)) return load_aligned<Count>(from);
  Pack<T, Count> pack;
  unrolled<Count>([&](int i) { pack.set(i, from[i]); });
  return pack;
}

/// Stores a pack of 4, 8 or 16 bytes. `to` must be a multiple of that size.
template <bool Streaming, class T, int Count>
__host__ __device__ void store_pack(T* to, const Pack<T, Count>& pack) {
  store_words<Pack<T, Count>::words, Streaming>(to, pack.word);
}

/// Returns `value` if it is an Out, else `value` rounded to an Out.
template <class Out, class Value>
__host__ __device__ Out element_of(Value value) {
  if constexpr (std::is_same_v<Value, Out>)
    return value;
  else
    return to_value<Out>(value);
}

/// Returns a pack of `value(0)`, ... `value(Count - 1)`, called in this order. If `value` returns
/// floats and an Out has two bytes, two floats are rounded at a time. If an Out has one byte, four
/// floats are rounded at a time. This takes fewer instructions.
template <class Out, int Count, class Value>
__host__ __device__ Pack<Out, Count> pack_of(Value value) {
  Pack<Out, Count> pack;
  if constexpr (sizeof(Out) == 2 && std::is_same_v<decltype(value(0)), float>)
    unrolled<Count / 2>([&](int i) {
      const float low = value(2 * i), high = value(2 * i + 1);
      pack.word[i] = to_pair<Out>(low, high);
    });
  else if constexpr (sizeof(Out) == 1 && std::is_same_v<decltype(value(0)), float>)
    unrolled<Count / 4>([&](int i) {
      const float first = value(4 * i), second = value(4 * i + 1), third = value(4 * i + 2);
      pack.word[i] = to_bytes(first, second, third, value(4 * i + 3));
    });
  else
    unrolled<Count>([&](int i) { pack.set(i, element_of<Out>(value(i))); });
  return pack;
}

/// A position in a run: element `first`, which is channel `channel` of the run's pixel `pixel`.
struct Spot {
  std::int64_t first, pixel;
  std::int32_t channel;

  /// Returns the spot of element `first` of a run. `first` may be negative, down to -`count`:
  /// Divisor::split() takes no negative numbers, so `count` pixels are added before the split and
  /// subtracted after it.
  static __host__ __device__ Spot at(const Walk& walk, std::int64_t first, std::int64_t count) {
    const auto [pixel, channel] = walk.period.split(first + count * walk.period.divisor);
    return {first, pixel - count, static_cast<std::int32_t>(channel)};
  }

  /// Returns the offset of the spot in the input, in elements from the first element of the run.
  __host__ __device__ std::int64_t source(const Walk& walk) const {
    return pixel * walk.pixel + channel * walk.channel;
  }

  /// Returns the spot at the distance `by` after this one. `by.first` is the distance in elements;
  /// `by.pixel` and `by.channel` are the same distance in pixels and channels.
  __host__ __device__ Spot next(const Walk& walk, const Spot& by) const {
    const auto period = static_cast<std::int32_t>(walk.period.divisor);
    const std::int32_t c = channel + by.channel;
    const bool past = c >= period;
    return {first + by.first, pixel + by.pixel + (past ? 1 : 0), past ? c - period : c};
  }
};

/// The pattern of a run of one channel whose input is contiguous.
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
    return pack_of<Out, Count>([&](int j) { return Function::apply(x.get(j), constant); });
  }
};

/// The pattern of a run of one channel whose input is strided: a mirrored row, or one channel of
/// interleaved pixels.
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

/// The pattern of a run of interleaved pixels.
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
    return pack_of<Out, Count>([&](int j) {
      const auto constant = function.at(c);
      c = c + 1 == period ? 0 : c + 1;
      return Function::apply(x.get(j), constant);
    });
  }

 private:
  /// Applies the constants of three channels. Every thread reads all three constants and then
  /// selects. If the lanes of a warp read different constants instead, the reads would be served
  /// one after another.
  template <class Out, class Function, class In, int Count>
  static __host__ __device__ Pack<Out, Count> apply3(const Function& function, std::int32_t channel,
                                                     const Pack<In, Count>& x) {
    const auto k0 = function.at(0), k1 = function.at(1), k2 = function.at(2);
    const auto a = channel == 0 ? k0 : channel == 1 ? k1 : k2;
    const auto b = channel == 0 ? k1 : channel == 1 ? k2 : k0;
    const auto c = channel == 0 ? k2 : channel == 1 ? k0 : k1;
    return pack_of<Out, Count>([&](int j) {
      return Function::apply(x.get(j), j % 3 == 0 ? a : j % 3 == 1 ? b : c);
    });
  }
};

}  // namespace normbench::cuda
