/// Neighbouring elements in registers.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "backend/cuda/access.cuh"
#include "backend/cuda/values.cuh"

namespace normbench::cuda {

/// Calls `use(0)`, … `use(Count - 1)`, so that each index is a constant once inlined: an array that
/// is indexed by constants alone stays in registers.
template <int Count, class Use>
__host__ __device__ void unrolled(Use use) {
  [&]<int... Index>(std::integer_sequence<int, Index...>) { (use(Index), ...); }
  (std::make_integer_sequence<int, Count>{});
}

/// `Count` elements of type T as words.
template <class T, int Count>
struct Pack {
  static constexpr int per_word = 4 / sizeof(T);
  static constexpr int words = Count / per_word;
  static_assert(words * per_word == Count);
  using Bits = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

  std::uint32_t word[words];

  __host__ __device__ T get(int i) const {
    return __builtin_bit_cast(T, static_cast<Bits>(word[i / per_word] >> shift(i)));
  }
  /// Each element is set once, in order.
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

/// The `Count` elements from `from` on: in the widest words that the address allows, or one by one.
template <int Count, class T>
__host__ __device__ Pack<T, Count> load_pack(const T* from) {
  using Loaded = Pack<T, Count>;
  constexpr int wide = Loaded::words % 4 == 0 ? 4 : Loaded::words % 2 == 0 ? 2 : 1;
  Loaded pack;
  if (is_aligned(from, wide * 4)) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(from);
    unrolled<Loaded::words / wide>(
        [&](int i) { load_words<wide>(words + i * wide, pack.word + i * wide); });
  } else {
    unrolled<Count>([&](int i) { pack.set(i, from[i]); });
  }
  return pack;
}

/// Stores 16 bytes of elements at a multiple of 16.
template <class T>
__host__ __device__ void store_pack(T* to, const Pack<T, 16 / sizeof(T)>& pack, bool streaming) {
  store16(to, {{pack.word[0], pack.word[1], pack.word[2], pack.word[3]}}, streaming);
}

}  // namespace normbench::cuda
