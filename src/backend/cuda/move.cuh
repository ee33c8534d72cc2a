/// What a move does to one element: nothing.
#pragma once

#include "backend/cuda/fused_bodies.cuh"

namespace normbench::cuda {

struct NoConstant {};

template <class T>
struct Identity {
  __host__ __device__ NoConstant at(std::int64_t) const { return {}; }
  static __host__ __device__ T apply(T x, NoConstant) { return x; }
};

/// Calls `use(body)` with the body of a move, by the size of an element.
template <class Use>
auto with_move(const FusedTask& task, Use use) {
  const std::int64_t size = size_of(task.out.desc.dtype);
  const auto as = [&]<class T>(T) { return with_body<T, T>(task, Identity<T>{}, use); };
  if (size == 1) return as(std::uint8_t{});
  if (size == 2) return as(std::uint16_t{});
  return as(std::uint32_t{});
}

}  // namespace normbench::cuda
