/// The launch functions of all kernels except group norm, the fused kernels and the references.
#include "backend/cuda/busy.cuh"
#include "backend/cuda/clock.cuh"
#include "backend/cuda/eager.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/resize.cuh"
#include "backend/cuda/stream.cuh"

namespace normbench::cuda {
namespace {

struct Empty {
  std::int64_t threads = 1;
  __host__ __device__ void operator()(std::int64_t) const {}
};

}  // namespace

cudaError_t launch_empty(cudaStream_t stream) { return launch(stream, Empty{}); }

cudaError_t load_empty() { return launch(only_load(), Empty{}); }

cudaError_t launch_read_clocks(cudaStream_t stream, ClockReading* readings, unsigned count,
                               unsigned blocks) {
  return launch(stream, ReadClocks{.grid = {.x = blocks}, .readings = readings, .count = count});
}

std::string built_architectures() {
  std::string text;
  for (const int architecture : {__CUDA_ARCH_LIST__})  // defined by nvcc: 900 for sm_90
    text += (text.empty() ? "sm_" : ", sm_") + std::to_string(architecture / 10);
  return text;
}

cudaError_t launch_copy(cudaStream_t stream, void* to, const void* from, std::int64_t bytes) {
  return with_copy_body(to, from, bytes, launching(stream));
}

cudaError_t launch_stream(cudaStream_t stream, const StreamArguments& arguments) {
  return with_stream_body(arguments, launching(stream));
}

cudaError_t launch_busy(cudaStream_t stream, const BusyArguments& arguments) {
  return launch(stream, BusyBody::of(arguments));
}

cudaError_t launch_cast(cudaStream_t stream, const CastArguments& arguments) {
  return with_cast_body(arguments, launching(stream));
}

cudaError_t launch_sub(cudaStream_t stream, const BroadcastArguments& arguments) {
  return with_broadcast_body<Subtract>(arguments, launching(stream));
}

cudaError_t launch_div(cudaStream_t stream, const BroadcastArguments& arguments) {
  return with_broadcast_body<Divide>(arguments, launching(stream));
}

cudaError_t launch_scale_shift(cudaStream_t stream, const BroadcastArguments& arguments) {
  return with_broadcast_body<ScaleAndShift>(arguments, launching(stream));
}

cudaError_t launch_multiply(cudaStream_t stream, const PairArguments& arguments) {
  return with_pair_body<Multiply>(arguments, launching(stream));
}

cudaError_t launch_add(cudaStream_t stream, const PairArguments& arguments) {
  return with_pair_body<Add>(arguments, launching(stream));
}

cudaError_t launch_resize(cudaStream_t stream, const ResizeArguments& arguments) {
  return with_resize_body(arguments, launching(stream));
}

}  // namespace normbench::cuda
