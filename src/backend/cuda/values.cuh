/// The C++ types of dtypes, and correctly rounded conversions between them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/tensor.h"

namespace normbench::cuda {

__host__ __device__ inline float to_float(std::uint8_t x) { return x; }
__host__ __device__ inline float to_float(__half x) { return __half2float(x); }
__host__ __device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__host__ __device__ inline float to_float(float x) { return x; }

/// Returns `x` as a T, rounded to nearest even. For uint8, `x` is first clamped to 0 and 255, and
/// NaN becomes 0.
template <class T>
__host__ __device__ T to_value(float x) {
  if constexpr (std::is_same_v<T, float>)
    return x;
  else if constexpr (std::is_same_v<T, __half>)
    return __float2half_rn(x);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __float2bfloat16_rn(x);
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return static_cast<std::uint8_t>(fminf(fmaxf(rintf(x), 0.0f), 255.0f));
  else
    static_assert(sizeof(T) == 0, "no conversion to this dtype");
}

/// Returns two floats, rounded to 16-bit floats, in one word: `low` in the lower half, `high` in
/// the upper half.
template <class T>
__host__ __device__ std::uint32_t to_pair(float low, float high) {
  std::uint32_t word = 0;
  if constexpr (std::is_same_v<T, __half>) {
    const __half2 pair = __floats2half2_rn(low, high);
    std::memcpy(&word, &pair, sizeof(word));
  } else {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    std::memcpy(&word, &pair, sizeof(word));
  }
  return word;
}

/// Returns four floats as the bytes of a word, `first` in the lowest byte, each rounded as by
/// to_value(). The low bits of 2^23 + x are x rounded to an integer. The addition replaces a
/// conversion to an integer, because a GPU has few units for such conversions.
__host__ __device__ inline std::uint32_t to_bytes(float first, float second, float third,
                                                  float fourth) {
  constexpr float shift = 0x1p23f;
  constexpr std::uint32_t shift_bits = 0x4B000000;  // bits of `shift`; << 8 removes them all
  const auto bits = [](float x) {
    return __builtin_bit_cast(std::uint32_t, fminf(fmaxf(x, 0.0f), 255.0f) + shift);
  };
  return bits(first) - shift_bits + (bits(second) << 8) + (bits(third) << 16) +
         (bits(fourth) << 24);
}

/// Returns `x` as a T, rounded once from double to nearest even. For uint8, `x` is first clamped to
/// 0 and 255, and NaN becomes 0.
template <class T>
__host__ __device__ T to_value(double x) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(x);
  else if constexpr (std::is_same_v<T, __half>)
    return __double2half(x);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __double2bfloat16(x);
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return static_cast<std::uint8_t>(fmin(fmax(rint(x), 0.0), 255.0));
  else
    static_assert(sizeof(T) == 0, "no conversion to this dtype");
}

/// Returns element `i` of a view, counted in memory from `view.data`.
__host__ __device__ inline double load_element(const View& view, std::int64_t i) {
  switch (view.desc.dtype) {
    case DType::UInt8:
      return to_float(reinterpret_cast<const std::uint8_t*>(view.data)[i]);
    case DType::Float16:
      return to_float(reinterpret_cast<const __half*>(view.data)[i]);
    case DType::BFloat16:
      return to_float(reinterpret_cast<const __nv_bfloat16*>(view.data)[i]);
    case DType::Float32:
      return reinterpret_cast<const float*>(view.data)[i];
  }
  __builtin_unreachable();
}

template <class T>
__host__ __device__ void store_as(const View& view, std::int64_t i, double value) {
  reinterpret_cast<T*>(view.data)[i] = to_value<T>(value);
}
__host__ __device__ inline void store_element(const View& view, std::int64_t i, double value) {
  switch (view.desc.dtype) {
    case DType::UInt8:
      return store_as<std::uint8_t>(view, i, value);
    case DType::Float16:
      return store_as<__half>(view, i, value);
    case DType::BFloat16:
      return store_as<__nv_bfloat16>(view, i, value);
    case DType::Float32:
      return store_as<float>(view, i, value);
  }
}

/// Calls `use` with std::type_identity<T> for the dtype's type T. Returns the result of `use`.
template <class Use>
auto with_type(DType dtype, Use use) {
  switch (dtype) {
    case DType::UInt8:
      return use(std::type_identity<std::uint8_t>{});
    case DType::Float16:
      return use(std::type_identity<__half>{});
    case DType::BFloat16:
      return use(std::type_identity<__nv_bfloat16>{});
    case DType::Float32:
      return use(std::type_identity<float>{});
  }
  __builtin_unreachable();
}

/// Like with_type(), but `dtype` must be a float dtype.
template <class Use>
auto with_float_type(DType dtype, Use use) {
  switch (dtype) {
    case DType::Float16:
      return use(std::type_identity<__half>{});
    case DType::BFloat16:
      return use(std::type_identity<__nv_bfloat16>{});
    case DType::Float32:
      return use(std::type_identity<float>{});
    case DType::UInt8:
      break;
  }
  __builtin_unreachable();
}

}  // namespace normbench::cuda
