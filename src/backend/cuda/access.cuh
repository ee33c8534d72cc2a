/// Loads and stores of whole words: the one place where device code differs from host code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace normbench::cuda {

/// 16 bytes, the widest access of every architecture.
struct alignas(16) Vector16 {
  std::uint32_t words[4];
};

/// True if `address` is a multiple of `bytes`, a power of two.
__host__ __device__ inline bool is_aligned(const void* address, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) == 0;
}

/// What a GPU does of its own accord (cudaErrorMisalignedAddress): throws std::runtime_error.
inline void check_aligned(const void* address, std::size_t bytes) {
  if (!is_aligned(address, bytes))
    throw std::runtime_error("misaligned access of " + std::to_string(bytes) + " bytes");
}

/// Loads 1, 2 or 4 words at once. `address` is a multiple of their bytes.
template <int Words>
__host__ __device__ inline void load_words(const void* address, std::uint32_t* words) {
  static_assert(Words == 1 || Words == 2 || Words == 4);
#ifdef __CUDA_ARCH__
  // By intrinsics: the compiler splits an assignment of uint4 into words and does not always join
  // them again.
  if constexpr (Words == 1) {
    words[0] = __ldca(static_cast<const std::uint32_t*>(address));
  } else if constexpr (Words == 2) {
    const uint2 v = __ldca(static_cast<const uint2*>(address));
    words[0] = v.x;
    words[1] = v.y;
  } else {
    const uint4 v = __ldca(static_cast<const uint4*>(address));
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

/// `address` is a multiple of 16. What it holds may be overwritten by the same thread later.
__host__ __device__ inline Vector16 load16(const void* address) {
  Vector16 v;
  load_words<4>(address, v.words);
  return v;
}

/// `address` is a multiple of 16. Streaming: the line is not expected to be read again soon.
__host__ __device__ inline void store16(void* address, const Vector16& v, bool streaming) {
#ifdef __CUDA_ARCH__
  const uint4 words = make_uint4(v.words[0], v.words[1], v.words[2], v.words[3]);
  if (streaming)
    __stcs(static_cast<uint4*>(address), words);
  else
    __stwb(static_cast<uint4*>(address), words);
#else
  (void)streaming;
  check_aligned(address, sizeof(v));
  std::memcpy(address, &v, sizeof(v));
#endif
}

}  // namespace normbench::cuda
