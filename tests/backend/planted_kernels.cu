// Kernels that issue_budget.py must report. Each kernel has one fault.
#include "backend/cuda/access.cuh"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/patterns.cuh"

namespace normbench::cuda {

/// Chooses between two kinds of stores by a condition at run time.
struct ChoosesStores {
  Grid grid;
  const std::uint8_t* in;
  float* out;
  bool streaming;
  std::int64_t elements;

  __host__ __device__ void operator()(const Index& at) const {
    for (int u = 0; u < 4; ++u) {
      const std::int64_t i = ((at.x * 4 + u) * std::int64_t{threads_per_block} + at.thread) * 4;
      if (i + 4 > elements) return;
      const auto x = load_aligned<4>(in + i);
      const auto y = pack_of<float, 4>([&](int j) { return 2 * to_float(x.get(j)); });
      if (streaming)
        store_pack<true>(out + i, y);
      else
        store_pack<false>(out + i, y);
    }
  }
};

/// Has more instructions than its memory accesses leave time for.
struct Slow {
  Grid grid;
  const std::uint8_t* in;
  float* out;

  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t i = (at.x * std::int64_t{threads_per_block} + at.thread) * 4;
    const auto x = load_aligned<4>(in + i);
    store_pack<false>(out + i, pack_of<float, 4>([&](int j) {
                        float y = to_float(x.get(j));
                        for (int k = 0; k < 10; ++k) y = fmaf(y, y, 1);
                        return y;
                      }));
  }
};

/// Stores the values of one load before it issues the next load.
struct Waits {
  Grid grid;
  const Vector16* in;
  Vector16* out;

  __host__ __device__ void operator()(const Index& at) const {
    for (int k = 0; k < 4; ++k) {
      const std::int64_t i = (at.x * 4 + k) * std::int64_t{threads_per_block} + at.thread;
      store16<false>(out + i, load16(in + i));
    }
  }
};

/// Processes its vectors in a loop.
struct Loops {
  Grid grid;
  const Vector16* in;
  Vector16* out;

  __host__ __device__ void operator()(const Index& at) const {
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      const std::int64_t i = (at.x * 4 + k) * std::int64_t{threads_per_block} + at.thread;
      store16<false>(out + i, load16(in + i));
    }
  }
};

/// Computes in a loop between its loads and stores.
struct LoopsBetween {
  Grid grid;
  const Vector16* in;
  Vector16* out;
  int times;

  __host__ __device__ void operator()(const Index& at) const {
    const std::int64_t i = at.x * std::int64_t{threads_per_block} + at.thread;
    Vector16 v = load16(in + i);
    int k = 0;
#pragma unroll 1
    do v.words[0] = v.words[0] * v.words[1] + v.words[2];
    while (++k < times);
    store16<false>(out + i, v);
  }
};

/// Indexes an array with a number that is only known at run time.
struct Indexes {
  Grid grid;
  Vector16* out;
  int first;

  __host__ __device__ void operator()(const Index& at) const {
    std::uint32_t numbers[16];
    for (unsigned i = 0; i < 16; ++i)
      numbers[(i * static_cast<unsigned>(first)) & 15] = at.thread + i;
    const unsigned i = at.thread & 12;
    store16<false>(out + at.thread, {{numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]}});
  }
};

/// Holds more values than there are registers.
struct Spills {
  static constexpr int count = 64;
  Grid grid;
  const Vector16* in;
  Vector16* out;

  __host__ __device__ void operator()(const Index& at) const {
    Vector16 kept[count];
    for (int i = 0; i < count; ++i) kept[i] = load16(in + at.thread * count + i);
    for (int i = count - 1; i >= 0; --i) store16<false>(out + at.thread * count + i, kept[i]);
  }
};

/// Takes more registers than the compiler allows for bodies with a grid. This body has no grid.
struct TakesRegisters {
  static constexpr int count = 12;
  std::int64_t threads;
  const Vector16* in;
  Vector16* out;

  __host__ __device__ void operator()(std::int64_t thread) const {
    Vector16 kept[count];
    unrolled<count>([&](int i) { kept[i] = load16(in + thread * count + i); });
    unrolled<count>([&](int i) { store16<false>(out + thread * count + i, kept[i]); });
  }
};

/// Loads with the ordering of atomics.
struct LoadsStrongly {
  Grid grid;
  const uint4* in;
  uint4* out;

  __host__ __device__ void operator()([[maybe_unused]] const Index& at) const {
#ifdef __CUDA_ARCH__
    out[at.thread] = __ldca(in + at.thread);
#endif
  }
};

/// A body that stores 4 bytes at a time, under the name of the general kernel.
template <class T>
struct Fused {
  Grid grid;
  T* out;

  __host__ __device__ void operator()(const Index& at) const {
    out[at.thread] = static_cast<T>(at.x);
  }
};

template <class Body>
cudaError_t launch_planted(cudaStream_t stream, const Body& body) {
  return launch(stream, body);
}
template cudaError_t launch_planted(cudaStream_t, const ChoosesStores&);
template cudaError_t launch_planted(cudaStream_t, const Slow&);
template cudaError_t launch_planted(cudaStream_t, const Waits&);
template cudaError_t launch_planted(cudaStream_t, const Loops&);
template cudaError_t launch_planted(cudaStream_t, const LoopsBetween&);
template cudaError_t launch_planted(cudaStream_t, const Indexes&);
template cudaError_t launch_planted(cudaStream_t, const Spills&);
template cudaError_t launch_planted(cudaStream_t, const TakesRegisters&);
template cudaError_t launch_planted(cudaStream_t, const LoadsStrongly&);
template cudaError_t launch_planted(cudaStream_t, const Fused<float>&);

}  // namespace normbench::cuda
