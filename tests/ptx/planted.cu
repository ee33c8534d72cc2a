#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>

#include "backend/cuda/launch.cuh"
#include "ptx/planted.h"

namespace normbench::ptx {
namespace {

#ifdef __CUDA_ARCH__
constexpr bool on_device = true;
#else
constexpr bool on_device = false;
#endif

/// Adds 1 to each number. On the device with the mistake, if there is one.
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

/// Mirrors the numbers of each block, whose threads are all there.
template <bool waits>
struct Mirror {
  std::int64_t threads;
  const float* in;
  float* out;

  __host__ __device__ void operator()(std::int64_t i) const {
#ifdef __CUDA_ARCH__
    __shared__ float tile[cuda::threads_per_block];
    tile[threadIdx.x] = in[i];
    if (waits) __syncthreads();
    out[i] = tile[cuda::threads_per_block - 1 - threadIdx.x];
#else
    const std::int64_t block = i / cuda::threads_per_block * cuda::threads_per_block;
    out[i] = in[block + cuda::threads_per_block - 1 - (i - block)];
#endif
  }
};

/// Numbers less the mean of their block, over the root of their squares' sum: two sums of a block,
/// through shared memory.
template <Planted what>
struct Normalised {
  static constexpr int count = cuda::threads_per_block;
  static constexpr bool shuffles =
      what == Planted::NothingInShuffles || what == Planted::ShuffleInTail;

  cuda::Grid grid;
  std::int64_t elements;
  const float* in;
  float* out;

  __host__ __device__ void operator()(const cuda::Index& at) const {
#ifdef __CUDA_ARCH__
    run_on_device(at);
#else
    run_on_host(at);
#endif
  }

 private:
  __device__ void run_on_device(const cuda::Index& at) const {
    __shared__ float parts[count];
    const std::int64_t i = std::int64_t{at.x} * count + at.thread;
    bool is_mine = i < elements;
    if (what == Planted::TailDropped) is_mine = i < elements / 4 * 4;
    if (what == Planted::TailReadPast) is_mine = i <= elements;
    const float x = is_mine ? in[i] : 0;
    const float centred = x - sum(parts, at.thread, x, is_mine) / count;
    if (what != Planted::NoBarrierBeforeReuse) __syncthreads();  // all have the sum
    const float squares = sum(parts, at.thread, centred * centred, is_mine);
    if (is_mine) out[i] = centred / sqrtf(squares);
    if (what == Planted::BlocksWriteOne && at.thread == 7) out[0] = squares;
    if (what == Planted::BlockReadsAnother && at.x == 1 && at.thread == 8) out[i] = out[5];
  }
  static __device__ float sum(float* parts, unsigned thread, float x, bool is_mine) {
    if constexpr (shuffles) {
      if (what != Planted::ShuffleInTail || is_mine)
        for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
      if (thread % 32 == 0) parts[thread / 32] = x;
      __syncthreads();
      float total = 0;
      for (int warp = 0; warp < count / 32; ++warp) total += parts[warp];
      return total;
    } else {
      if (what != Planted::SharedNotWritten || is_mine) parts[thread] = x;
      if (what == Planted::BarrierInTail) {
        if (is_mine) __syncthreads();
      } else if (what != Planted::NoBarrierAfterStores) {
        __syncthreads();
      }
      for (unsigned step = what == Planted::SharedOverrun ? count : count / 2; step > 0; step /= 2)
        if (what == Planted::BarrierInBranch) {
          if (thread >= step) continue;
          parts[thread] += parts[thread + step];
          __syncthreads();
        } else {
          if (thread < step) parts[thread] += parts[thread + step];
          if (what != Planted::NoBarrierInLastWarp || step > 32) __syncthreads();
        }
      return parts[0];
    }
  }

  void run_on_host(const cuda::Index& at) const {
    const std::int64_t first = std::int64_t{at.x} * count, i = first + at.thread;
    if (i >= elements) return;
    float x[count], squares[count];
    for (int k = 0; k < count; ++k) x[k] = first + k < elements ? in[first + k] : 0;
    const float mean = sum(x) / count;
    for (int k = 0; k < count; ++k) squares[k] = (x[k] - mean) * (x[k] - mean);
    out[i] = (x[at.thread] - mean) / sqrtf(sum(squares));
  }
  /// In the order of the device.
  static float sum(const float (&x)[count]) {
    constexpr int first = shuffles ? 32 : count;
    float total = 0;
    for (int begin = 0; begin < count; begin += first) {
      float parts[first];
      std::copy_n(x + begin, first, parts);
      for (int step = first / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) parts[k] += parts[k + step];
      total += parts[0];
    }
    return total;
  }
};

template <Planted what>
cudaError_t normalise(cudaStream_t stream, const float* in, float* out, std::int64_t elements) {
  const std::int64_t blocks = (elements + cuda::threads_per_block - 1) / cuda::threads_per_block;
  return cuda::launch(stream,
                      Normalised<what>{{.x = static_cast<unsigned>(blocks)}, elements, in, out});
}

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
    case Planted::NothingInMirror:
      return cuda::launch(stream, Mirror<true>{elements, in, out});
    case Planted::MissingBarrier:
      return cuda::launch(stream, Mirror<false>{elements, in, out});
    case Planted::NothingInSums:
      return normalise<Planted::NothingInSums>(stream, in, out, elements);
    case Planted::NothingInShuffles:
      return normalise<Planted::NothingInShuffles>(stream, in, out, elements);
    case Planted::NoBarrierAfterStores:
      return normalise<Planted::NoBarrierAfterStores>(stream, in, out, elements);
    case Planted::NoBarrierBeforeReuse:
      return normalise<Planted::NoBarrierBeforeReuse>(stream, in, out, elements);
    case Planted::NoBarrierInLastWarp:
      return normalise<Planted::NoBarrierInLastWarp>(stream, in, out, elements);
    case Planted::BarrierInBranch:
      return normalise<Planted::BarrierInBranch>(stream, in, out, elements);
    case Planted::BarrierInTail:
      return normalise<Planted::BarrierInTail>(stream, in, out, elements);
    case Planted::ShuffleInTail:
      return normalise<Planted::ShuffleInTail>(stream, in, out, elements);
    case Planted::SharedOverrun:
      return normalise<Planted::SharedOverrun>(stream, in, out, elements);
    case Planted::SharedNotWritten:
      return normalise<Planted::SharedNotWritten>(stream, in, out, elements);
    case Planted::TailDropped:
      return normalise<Planted::TailDropped>(stream, in, out, elements);
    case Planted::TailReadPast:
      return normalise<Planted::TailReadPast>(stream, in, out, elements);
    case Planted::BlocksWriteOne:
      return normalise<Planted::BlocksWriteOne>(stream, in, out, elements);
    case Planted::BlockReadsAnother:
      return normalise<Planted::BlockReadsAnother>(stream, in, out, elements);
  }
  return cudaErrorInvalidValue;
}

}  // namespace normbench::ptx
