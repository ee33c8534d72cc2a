#include <cuda_fp16.h>

#include "backend/cuda/launch.cuh"
#include "ptx/planted.h"

namespace normbench::ptx {
namespace {

#ifdef __CUDA_ARCH__
constexpr bool on_device = true;
#else
constexpr bool on_device = false;
#endif

/// Adds 1 to each number. The device code has the mistake `what`. The host code is correct.
template <Planted what>
struct AddOne {
  std::int64_t threads;
  const float* in;
  float* out;

  __host__ __device__ void operator()(std::int64_t i) const {
    if constexpr (what == Planted::MisalignedStore) {
      if (on_device && i == 2) return store4(out + 1);
    } else if constexpr (what == Planted::TailOverrun) {
      if (on_device && i == threads - 1) out[i + 1] = 0;
    } else if constexpr (what == Planted::TwoWriters) {
      if (on_device) return void(out[i / 2 * 2] = in[i] + 1);
    } else if constexpr (what == Planted::ReadBeforeWrite) {
      if (on_device) return void(out[i] += in[i] + 1);
    } else if constexpr (what == Planted::UnknownInstruction) {
      if (on_device) return unknown(i);
    }
    out[i] = in[i] + 1;
  }

 private:
  __host__ __device__ static void store4([[maybe_unused]] float* to) {
#ifdef __CUDA_ARCH__
    __stwb(reinterpret_cast<float4*>(to), float4{});
#endif
  }
  __host__ __device__ void unknown([[maybe_unused]] std::int64_t i) const {
#ifdef __CUDA_ARCH__
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(out[i]) : "f"(in[i]));
#endif
  }
};

struct ToHalf {
  std::int64_t threads;
  const float* in;
  __half* out;

  __host__ __device__ void operator()(std::int64_t i) const {
    out[i] = on_device ? __float2half_rz(in[i]) : __float2half_rn(in[i]);
  }
};

}  // namespace

cudaError_t launch_planted(cudaStream_t stream, Planted what, const float* in, float* out,
                           std::int64_t elements) {
  switch (what) {
    case Planted::Nothing:
      return cuda::launch(stream, AddOne<Planted::Nothing>{elements, in, out});
    case Planted::MisalignedStore:
      return cuda::launch(stream, AddOne<Planted::MisalignedStore>{elements, in, out});
    case Planted::TailOverrun:
      return cuda::launch(stream, AddOne<Planted::TailOverrun>{elements, in, out});
    case Planted::WrongHalf:
      return cuda::launch(stream, ToHalf{elements, in, reinterpret_cast<__half*>(out)});
    case Planted::ReadBeforeWrite:
      return cuda::launch(stream, AddOne<Planted::ReadBeforeWrite>{elements, in, out});
    case Planted::TwoWriters:
      return cuda::launch(stream, AddOne<Planted::TwoWriters>{elements, in, out});
    case Planted::UnknownInstruction:
      return cuda::launch(stream, AddOne<Planted::UnknownInstruction>{elements, in, out});
  }
  return cudaErrorInvalidValue;
}

}  // namespace normbench::ptx
