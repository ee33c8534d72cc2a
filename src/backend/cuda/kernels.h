/// The arguments and the launch functions of the kernels in the .cu files. A launch submits to
/// `stream`.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace normbench::cuda {

/// Returns a stream that runs nothing. A launch on it only loads its code onto the device, where it
/// stays.
inline cudaStream_t only_load() { return reinterpret_cast<cudaStream_t>(~std::uintptr_t{0}); }

/// Launches a kernel that does nothing.
cudaError_t launch_empty(cudaStream_t stream);
/// Loads that kernel without running it. The error tells whether this build runs on this device.
cudaError_t load_empty();

/// The cycle count of a multiprocessor and the GPU's time at one moment. Zeros: nothing was read.
struct ClockReading {
  std::uint64_t cycles = 0, time_ns = 0;
};

/// Launches `blocks` blocks. Each multiprocessor that runs a block writes its reading to `readings`
/// at the index of its own number. `readings` has `count` elements.
cudaError_t launch_read_clocks(cudaStream_t stream, ClockReading* readings, unsigned count,
                               unsigned blocks);

/// Returns the GPU architectures that this build has kernels for: "sm_80, sm_90".
std::string built_architectures();

/// Copies `bytes` bytes between any memories that the device reaches. The two ranges must not
/// overlap. It copies 16 bytes at a time if `to` and `from` are equally far past a multiple of 16.
/// Else it copies 4 bytes or single bytes at a time.
cudaError_t launch_copy(cudaStream_t stream, void* to, const void* from, std::int64_t bytes);

struct StreamArguments {
  const void* in = nullptr;
  std::int64_t read_bytes = 0;
  void* out = nullptr;
  std::int64_t written_bytes = 0;
  bool streaming = false;  // stores past the cache: __stcs
};

/// Moves bytes and computes nothing, to show what the device's memory allows. Reads and writes in
/// the given mix. The two ranges must not overlap. Both ranges may have bytes before the first and
/// after the last whole 16-byte vector. These bytes of the input are not read, and these bytes of
/// the output become zeros. The other bytes of the output get meaningless values.
cudaError_t launch_stream(cudaStream_t stream, const StreamArguments& arguments);

struct BusyArguments {
  std::int64_t blocks = 0;      // of 256 threads; each multiprocessor has room for one
  std::int64_t steps = 0;       // dependent multiply-adds of each thread
  std::byte* unused = nullptr;  // memory that the kernel could write to, but does not
};

/// Keeps multiprocessors busy.
cudaError_t launch_busy(cudaStream_t stream, const BusyArguments& arguments);

/// Arguments of a cast. Element-wise kernels work as in eager frameworks: one pass per operation, 4
/// elements per thread.
struct CastArguments {
  DType from = DType::UInt8, to = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in` if the dtypes are equal
  std::int64_t elements = 0;
};

/// Arguments of an operation with constants per channel. Element i has channel i / inner %
/// channels.
struct BroadcastArguments {
  DType dtype = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in`
  std::int64_t elements = 0;
  const float* constants = nullptr;  // one per channel, in device memory
  std::int64_t inner = 1, channels = 1;
  const float* shifts = nullptr;  // one per channel, for scale_shift only; null: 0
};

/// Arguments of an operation on two tensors of one dtype, element by element.
struct PairArguments {
  DType dtype = DType::Float32;
  const void *a = nullptr, *b = nullptr;
  void* out = nullptr;
  std::int64_t elements = 0;
};

cudaError_t launch_cast(cudaStream_t stream, const CastArguments& arguments);
/// Launches x - constant, computed in float32 and rounded to the dtype.
cudaError_t launch_sub(cudaStream_t stream, const BroadcastArguments& arguments);
/// Launches x / constant, computed in float32 and rounded. Each channel has two constants: the
/// divisor and its inverse_of().
cudaError_t launch_div(cudaStream_t stream, const BroadcastArguments& arguments);

/// Launches x * constant + shift.
cudaError_t launch_scale_shift(cudaStream_t stream, const BroadcastArguments& arguments);
cudaError_t launch_multiply(cudaStream_t stream, const PairArguments& arguments);
cudaError_t launch_add(cudaStream_t stream, const PairArguments& arguments);

/// Returns 1 / divisor, or 0 if quotients must be computed by a division instead.
inline float inverse_of(float divisor) {
  const float size = std::abs(divisor);
  return size >= 0x1p-20f && size <= 0x1p20f ? 1 / divisor : 0;
}

/// The extents of a resize must be below this, so that the positions in Taps (resize.cuh) fit in 32
/// bits: the widest filter spans 4 * extent < 2^31.
inline constexpr std::int64_t resize_extent_limit = std::int64_t{1} << 29;

/// Arguments of an antialiased bilinear resize in one pass, which evaluates both filters on the
/// fly. Images are dense: `planes` planes of rows of pixels. A pixel has `group` elements: one if
/// planar, all channels if interleaved.
struct ResizeArguments {
  DType dtype = DType::UInt8;
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t planes = 0, group = 1;
  std::int64_t from_height = 0, from_width = 0;
  std::int64_t to_height = 0, to_width = 0;
};

cudaError_t launch_resize(cudaStream_t stream, const ResizeArguments& arguments);

/// The task of a fused kernel: one pass over the output, with any strides of the input.
struct FusedTask {
  View in, out;            // the input may be strided (cropped, flipped), the output is dense
  bool alike = false;      // the function treats all channels alike
  bool streaming = false;  // the output is not expected to stay in the cache
  std::int64_t enough_threads = 1 << 18;  // at least as many as a large GPU runs at once
};

/// Moves elements without changing them. Input and output have the same dtype.
cudaError_t launch_move(cudaStream_t stream, const FusedTask& task);

/// The most channels whose constants are passed with the launch.
inline constexpr int most_channels = 64;

/// Arguments of y = x * a[c] + b[c] as one fused multiply-add, for normalize and denormalize.
struct NormalizeArguments {
  FusedTask task;
  const float* sent_a = nullptr;  // in device memory; null: `a` and `b` are used
  const float* sent_b = nullptr;
  float a[most_channels] = {}, b[most_channels] = {};
};

/// Launches a normalize from any dtype to `To`. Each specialisation has its own file, since it
/// takes long to compile.
template <DType To>
cudaError_t launch_normalize(cudaStream_t stream, const NormalizeArguments& arguments);
template <>
cudaError_t launch_normalize<DType::Float32>(cudaStream_t, const NormalizeArguments&);
template <>
cudaError_t launch_normalize<DType::Float16>(cudaStream_t, const NormalizeArguments&);
template <>
cudaError_t launch_normalize<DType::BFloat16>(cudaStream_t, const NormalizeArguments&);
/// Launches a denormalize from a float dtype to uint8.
cudaError_t launch_denormalize(cudaStream_t stream, const NormalizeArguments& arguments);

/// The sums of dy * (x - mean) * rstd (products) and of dy (plain) over the pixels of a channel.
struct GroupSums {
  float products = 0, plain = 0;
};

/// How many blocks and warps share the work on a group.
struct GroupPlan {
  unsigned parts = 1;   // parts of a group; one block works on a part
  unsigned warps = 1;   // warps of a block
  unsigned pieces = 1;  // pieces of a line (group_lines.cuh); a warp's unit of work
};

/// The tensors of a group norm, of its gradient, or of a part of one of them, all dense. A null
/// pointer leaves a tensor out.
///   forward   x [, gamma, beta] -> out, found_mean, found_rstd. Without `out`: only moments.
///             Without `found_mean` and `found_rstd`: normalised by `mean` and `rstd`.
///   backward  dy, x [, gamma], mean, rstd [, old] -> out, sums. Without `out`: only the sums.
///             The sums of dy need nothing but dy.
///   sums      sums [, old_dgamma, old_dbeta] -> dgamma, dbeta
struct GroupArguments {
  DType dtype = DType::Float32;  // of x, dy, old and out
  bool columns = false;          // nhwc: the channels of a pixel follow each other
  std::int64_t images = 0, channels = 0, pixels = 0, groups = 1;
  float eps = 0;
  std::size_t shared_bytes = 0;  // limit of a block
  GroupPlan plan = {};           // plan_groups() of the dtype and the shape
  const void *x = nullptr, *dy = nullptr, *old = nullptr;
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *rstd = nullptr;
  void* out = nullptr;
  float *found_mean = nullptr, *found_rstd = nullptr;
  void* of_parts = nullptr;   // forward: bytes_of_parts() bytes, from one launch to the next
  GroupSums* sums = nullptr;  // bytes_of_sums() bytes
  const float *old_dgamma = nullptr, *old_dbeta = nullptr;
  float *dgamma = nullptr, *dbeta = nullptr;
};

cudaError_t launch_group_forward(cudaStream_t stream, const GroupArguments& arguments);
cudaError_t launch_group_backward(cudaStream_t stream, const GroupArguments& arguments);
cudaError_t launch_channel_sums(cudaStream_t stream, const GroupArguments& arguments);
/// Returns the plan, which decides the order of sums. It depends neither on the device nor on where
/// tensors lie.
GroupPlan plan_groups(const GroupArguments& arguments);
std::size_t bytes_of_parts(const GroupArguments& arguments);
std::size_t bytes_of_sums(const GroupArguments& arguments);

/// The functions that run the body of a kernel where there is no GPU. The struct follows the
/// kernel's only argument in the array that cudaLaunchKernel gets. The CUDA runtime reads only the
/// kernel's argument and never sees the struct. The fake runtime of the tests calls these functions
/// to run the body, thread after thread. It can copy the body and run it later, as a graph does.
struct HostBody {
  std::size_t bytes;
  std::int64_t (*threads)(const void* body);
  void (*run)(const void* body, std::int64_t thread);
};

}  // namespace normbench::cuda
