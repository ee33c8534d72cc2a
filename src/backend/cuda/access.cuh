/// Loads and stores of whole words: the one place where device code differs from host code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace normbench::cuda {

/// 16 bytes, the widest access of every architecture.
struct alignas(16) Vector16 {
  std::uint32_t words[4];
};

/// `address` is a multiple of 16.
__host__ __device__ inline Vector16 load16(const void* address) {
#ifdef __CUDA_ARCH__
  const uint4 v = __ldg(static_cast<const uint4*>(address));
  return {{v.x, v.y, v.z, v.w}};
#else
  Vector16 v;
  std::memcpy(&v, address, sizeof(v));
  return v;
#endif
}

/// `address` is a multiple of 16. Streaming: the line is not expected to be read again soon.
__host__ __device__ inline void store16(void* address, const Vector16& v, bool streaming) {
#ifdef __CUDA_ARCH__
  const uint4 words = make_uint4(v.words[0], v.words[1], v.words[2], v.words[3]);
  if (streaming)
    __stcs(static_cast<uint4*>(address), words);
  else
    *static_cast<uint4*>(address) = words;
#else
  (void)streaming;
  std::memcpy(address, &v, sizeof(v));
#endif
}

}  // namespace normbench::cuda
