#include <algorithm>
#include <cmath>

#include "backend/cuda/launch.cuh"
#include "ptx/planted.h"

namespace normbench::ptx {
namespace {

/// A kernel that computes two sums per block. The two sums use the same shared memory.
template <PlantedInBlock what>
struct Normalised {
  using enum PlantedInBlock;
  static constexpr int count = cuda::threads_per_block;
  static constexpr bool shuffles = what == NothingInShuffles || what == ShuffleInTail;

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
    const std::int64_t end = what == TailDropped    ? elements / 4 * 4
                             : what == TailReadPast ? elements + 1
                                                    : elements;
    const float x = i < end ? in[i] : 0;
    const float centred = x - sum(parts, at.thread, x, i < end) / count;
    if (what == BarrierInBranch && at.thread < 64) __syncthreads();
    if (what != NoBarrierBeforeReuse) __syncthreads();  // all threads have read the first sum
    const float squares = sum(parts, at.thread, centred * centred, i < end);
    if (i >= end) return;
    if (what == BarrierInTail) __syncthreads();
    out[i] = centred / sqrtf(squares);
    if (what == BlocksWriteOne && at.thread == 0) out[0] = squares;
    if (what == BlockReadsAnother && at.x == 1 && at.thread == 8) out[i] = out[5];
  }

  /// Returns the sum of x over the block. With shuffles, each warp adds its numbers first. Without
  /// shuffles, the upper half of the numbers is added to the lower half until one number is left.
  static __device__ float sum(float* parts, unsigned thread, float x, bool is_there) {
    if constexpr (shuffles) {
      if (what != ShuffleInTail || is_there)
        for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
      if (thread % 32 == 0) parts[thread / 32] = x;
      __syncthreads();
      float total = 0;
      for (int warp = 0; warp < count / 32; ++warp) total += parts[warp];
      return total;
    } else {
      if (what != SharedNotWritten || is_there) parts[thread] = x;
      if (what != NoBarrierAfterStores) __syncthreads();
      for (unsigned step = what == SharedOverrun ? count : count / 2; step > 0; step /= 2) {
        if (thread < step) parts[thread] += parts[thread + step];
        if (what != NoBarrierInLastWarp || step > 32) __syncthreads();
      }
      return parts[0];
    }
  }

  void run_on_host(const cuda::Index& at) const {
    const std::int64_t first = std::int64_t{at.x} * count;
    if (first + at.thread >= elements) return;
    float x[count];
    for (int k = 0; k < count; ++k) x[k] = first + k < elements ? in[first + k] : 0;
    const float mean = sum(x) / count;
    for (float& each : x) each -= mean;
    const float centred = x[at.thread];
    for (float& each : x) each *= each;
    out[first + at.thread] = centred / std::sqrt(sum(x));
  }

  static float sum(const float (&x)[count]) {
    constexpr int piece = shuffles ? 32 : count;
    float total = 0;
    for (int begin = 0; begin < count; begin += piece) {
      float parts[piece];
      std::copy_n(x + begin, piece, parts);
      for (int step = piece / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) parts[k] += parts[k + step];
      total += parts[0];
    }
    return total;
  }
};

template <PlantedInBlock what>
cudaError_t launch_normalised(cudaStream_t stream, const float* in, float* out,
                              std::int64_t elements) {
  const std::int64_t blocks = (elements + cuda::threads_per_block - 1) / cuda::threads_per_block;
  const cuda::Grid grid{.x = static_cast<unsigned>(blocks)};
  return cuda::launch(stream, Normalised<what>{grid, elements, in, out});
}

}  // namespace

cudaError_t launch_planted(cudaStream_t stream, PlantedInBlock what, const float* in, float* out,
                           std::int64_t elements) {
  using enum PlantedInBlock;
  switch (what) {
    case Nothing:
      return launch_normalised<Nothing>(stream, in, out, elements);
    case NothingInShuffles:
      return launch_normalised<NothingInShuffles>(stream, in, out, elements);
    case NoBarrierAfterStores:
      return launch_normalised<NoBarrierAfterStores>(stream, in, out, elements);
    case NoBarrierBeforeReuse:
      return launch_normalised<NoBarrierBeforeReuse>(stream, in, out, elements);
    case NoBarrierInLastWarp:
      return launch_normalised<NoBarrierInLastWarp>(stream, in, out, elements);
    case BarrierInBranch:
      return launch_normalised<BarrierInBranch>(stream, in, out, elements);
    case BarrierInTail:
      return launch_normalised<BarrierInTail>(stream, in, out, elements);
    case ShuffleInTail:
      return launch_normalised<ShuffleInTail>(stream, in, out, elements);
    case SharedOverrun:
      return launch_normalised<SharedOverrun>(stream, in, out, elements);
    case SharedNotWritten:
      return launch_normalised<SharedNotWritten>(stream, in, out, elements);
    case TailDropped:
      return launch_normalised<TailDropped>(stream, in, out, elements);
    case TailReadPast:
      return launch_normalised<TailReadPast>(stream, in, out, elements);
    case BlocksWriteOne:
      return launch_normalised<BlocksWriteOne>(stream, in, out, elements);
    case BlockReadsAnother:
      return launch_normalised<BlockReadsAnother>(stream, in, out, elements);
  }
  return cudaErrorInvalidValue;
}

}  // namespace normbench::ptx
