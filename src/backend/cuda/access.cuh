/// Loads and stores of whole words, and access to their bytes. On the host, a misaligned load or
/// store throws std::runtime_error.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace normbench::cuda {

/// 16 bytes, the widest access that all architectures support.
struct alignas(16) Vector16 {
  std::uint32_t words[4];
};

/// True if `address` is a multiple of `bytes`, a power of two.
__host__ __device__ inline bool is_aligned(const void* address, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) == 0;
}

/// Throws std::runtime_error if `address` is not a multiple of `bytes`. A GPU would fail with
/// cudaErrorMisalignedAddress.
inline void check_aligned(const void* address, std::size_t bytes) {
  if (!is_aligned(address, bytes))
    throw std::runtime_error("misaligned access of " + std::to_string(bytes) + " bytes");
}

/// Loads 1, 2 or 4 words at once. `address` must be a multiple of their size. The same thread may
/// overwrite the words later, because this is not a load of read-only data (__ldg).
template <int Words>
__host__ __device__ inline void load_words(const void* address, std::uint32_t* words) {
  static_assert(Words == 1 || Words == 2 || Words == 4);
#ifdef __CUDA_ARCH__
  // These are plain loads of CUDA's vector types. __ldca would compile to a strong load
  // (LDG.STRONG.SM on sm_90), which the memory model orders like a relaxed atomic.
  if constexpr (Words == 1) {
    words[0] = *static_cast<const std::uint32_t*>(address);
  } else if constexpr (Words == 2) {
    const uint2 v = *static_cast<const uint2*>(address);
    words[0] = v.x;
    words[1] = v.y;
  } else {
    const uint4 v = *static_cast<const uint4*>(address);
    words[0] = v.x;
    words[1] = v.y;
    words[2] = v.z;
    words[3] = v.w;
  }
#else
  check_aligned(address, Words * 4);
  std::memcpy(words, address, Words * 4);
#endif
}

/// Stores 1, 2 or 4 words at once. `address` must be a multiple of their size. If `Streaming` is
/// true, stores with __stcs, which is for words that will not be read again soon.
template <int Words, bool Streaming>
__host__ __device__ inline void store_words(void* address, const std::uint32_t* words) {
  static_assert(Words == 1 || Words == 2 || Words == 4);
#ifdef __CUDA_ARCH__
  // Stores of 2 or 4 words use inline PTX, because the compiler splits an assignment of a uint4
  // into words and does not always join them again. __stwb would compile to a strong store
  // (STG.STRONG.SM on sm_90).
  [[maybe_unused]] const std::size_t to = __cvta_generic_to_global(address);
  if constexpr (Words == 1 && Streaming)
    __stcs(static_cast<std::uint32_t*>(address), words[0]);
  else if constexpr (Words == 1)
    *static_cast<std::uint32_t*>(address) = words[0];
  else if constexpr (Words == 2 && Streaming)
    __stcs(static_cast<uint2*>(address), make_uint2(words[0], words[1]));
  else if constexpr (Words == 2)
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(words[0]), "r"(words[1])
                 : "memory");
  else if constexpr (Streaming)
    __stcs(static_cast<uint4*>(address), make_uint4(words[0], words[1], words[2], words[3]));
  else
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]),
                 "r"(words[2]), "r"(words[3])
                 : "memory");
#else
  check_aligned(address, Words * 4);
  std::memcpy(address, words, Words * 4);
#endif
}

/// Loads 16 bytes. `address` must be a multiple of 16.
__host__ __device__ inline Vector16 load16(const void* address) {
  Vector16 v;
  load_words<4>(address, v.words);
  return v;
}

/// Stores 16 bytes. `address` must be a multiple of 16.
template <bool Streaming>
__host__ __device__ inline void store16(void* address, const Vector16& v) {
  store_words<4, Streaming>(address, v.words);
}

/// Byte `index` of a word; 0 is the lowest byte.
struct Byte {
  std::uint32_t word;
  int index;

  __host__ __device__ operator std::uint8_t() const {
    return static_cast<std::uint8_t>(word >> 8 * index);
  }
};

/// Converts a byte to a float. On a device, one instruction extracts and converts it.
__host__ __device__ inline float to_float(Byte byte) {
#ifdef __CUDA_ARCH__
  std::uint32_t value;
  asm("bfe.u32 %0, %1, %2, 8;" : "=r"(value) : "r"(byte.word), "r"(8 * byte.index));
  return static_cast<float>(value);
#else
  return static_cast<std::uint8_t>(byte);
#endif
}

}  // namespace normbench::cuda
