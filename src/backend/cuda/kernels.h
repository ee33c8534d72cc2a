/// The kernels of the .cu files: what each is asked to do, and how it is launched. A launch submits
/// to `stream`.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace normbench::cuda {

/// A stream that runs nothing: the code of what is launched on it is brought to the device, where
/// it stays.
inline cudaStream_t only_load() { return reinterpret_cast<cudaStream_t>(~std::uintptr_t{0}); }

/// The kernel that does nothing.
cudaError_t launch_empty(cudaStream_t stream);
/// Loads that kernel without running it: the error tells whether this build runs on this device.
cudaError_t load_empty();

/// What a multiprocessor's cycles and the GPU's clock are at one moment; zeros: nothing was read.
struct ClockReading {
  std::uint64_t cycles = 0, time_ns = 0;
};

/// Each multiprocessor that runs one of `blocks` blocks writes its reading to `readings`, which has
/// `count` elements, at its own number.
cudaError_t launch_read_clocks(cudaStream_t stream, ClockReading* readings, unsigned count,
                               unsigned blocks);

/// The GPUs that this build has kernels for: "sm_80, sm_90".
std::string built_architectures();

/// Copies `bytes` bytes between any memory that the device reaches; the two ranges do not overlap.
/// 16 bytes at a time where `to` and `from` are equally far past a multiple of 16, else 4 bytes or
/// single ones.
cudaError_t launch_copy(cudaStream_t stream, void* to, const void* from, std::int64_t bytes);

struct StreamArguments {
  const void* in = nullptr;
  std::int64_t read_bytes = 0;
  void* out = nullptr;
  std::int64_t written_bytes = 0;
  bool streaming = false;  // stores past the cache: __stcs
};

/// Moves bytes and computes nothing: what the device's memory allows. Reads and writes in the given
/// mix; the two ranges do not overlap. Bytes before the first and after the last whole 16-byte
/// vector are not read, and written as zeros; the others get bytes without a meaning.
cudaError_t launch_stream(cudaStream_t stream, const StreamArguments& arguments);

struct BusyArguments {
  std::int64_t blocks = 0;      // of 256 threads: one finds room on each multiprocessor
  std::int64_t steps = 0;       // dependent multiplications and additions of each thread
  std::byte* unused = nullptr;  // memory that it could write to, and does not
};

/// Keeps multiprocessors busy.
cudaError_t launch_busy(cudaStream_t stream, const BusyArguments& arguments);

/// Element-wise kernels as eager frameworks have them: one pass per operation, 4 elements a thread.
struct CastArguments {
  DType from = DType::UInt8, to = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in` where the dtypes are the same
  std::int64_t elements = 0;
};

/// The channel of element i is i / inner % channels.
struct BroadcastArguments {
  DType dtype = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in`
  std::int64_t elements = 0;
  const float* constants = nullptr;  // of each channel, in device memory
  std::int64_t inner = 1, channels = 1;
  const float* shifts = nullptr;  // of scale_shift alone, likewise; null: 0
};

/// Two tensors of one dtype, element by element.
struct PairArguments {
  DType dtype = DType::Float32;
  const void *a = nullptr, *b = nullptr;
  void* out = nullptr;
  std::int64_t elements = 0;
};

cudaError_t launch_cast(cudaStream_t stream, const CastArguments& arguments);
/// x - constant, in float32 and rounded to the dtype.
cudaError_t launch_sub(cudaStream_t stream, const BroadcastArguments& arguments);
/// x / constant, the same; there are two constants a channel, the second one inverse_of the first.
cudaError_t launch_div(cudaStream_t stream, const BroadcastArguments& arguments);

/// x * constant + shift.
cudaError_t launch_scale_shift(cudaStream_t stream, const BroadcastArguments& arguments);
cudaError_t launch_multiply(cudaStream_t stream, const PairArguments& arguments);
cudaError_t launch_add(cudaStream_t stream, const PairArguments& arguments);

/// One over a divisor, or 0 where a quotient cannot be had from that.
inline float inverse_of(float divisor) {
  const float size = std::abs(divisor);
  return size >= 0x1p-20f && size <= 0x1p20f ? 1 / divisor : 0;
}

/// Extents of `launch_resize` are smaller: twice the widest filter fits 32 bits.
inline constexpr std::int64_t resize_extent_limit = std::int64_t{1} << 29;

/// Antialiased bilinear resize in one pass, both filters evaluated on the fly. Dense images:
/// `planes` of rows of pixels of `group` elements, planar or interleaved.
struct ResizeArguments {
  DType dtype = DType::UInt8;
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t planes = 0, group = 1;
  std::int64_t from_height = 0, from_width = 0;
  std::int64_t to_height = 0, to_width = 0;
};

cudaError_t launch_resize(cudaStream_t stream, const ResizeArguments& arguments);

/// What a fused kernel is asked to do: one pass over the output, however the input lies.
struct FusedTask {
  View in, out;            // the input is strided (cropped, flipped), the output is not
  bool alike = false;      // the function does the same to all channels
  bool streaming = false;  // the output does not stay in the cache
  std::int64_t enough_threads = 1 << 18;  // at least what a large GPU runs at a time
};

/// Moves elements without changing them. Both sides have the same dtype.
cudaError_t launch_move(cudaStream_t stream, const FusedTask& task);

/// Channels whose constants travel with the launch.
inline constexpr int most_channels = 64;

/// y = x * a[c] + b[c], one fused multiplication and addition: of normalize and denormalize.
struct NormalizeArguments {
  FusedTask task;
  const float* sent_a = nullptr;  // in device memory, or null: `a` and `b`
  const float* sent_b = nullptr;
  float a[most_channels] = {}, b[most_channels] = {};
};

/// To the dtype `To`, from any: one specialisation a file, since each takes long to compile.
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

/// The sums of dy * (x - mean) * rstd and of dy over the pixels of a channel.
struct GroupSums {
  float products = 0, plain = 0;
};

/// How many blocks and warps share the work of a group.
struct GroupPlan {
  unsigned parts = 1;   // of a group, a block each
  unsigned warps = 1;   // of a block
  unsigned pieces = 1;  // of a plane, or of all pixels of some channels: a warp's unit of work
};

/// A group norm, its gradient, or a part of one of them, of dense tensors: what is null is left
/// out.
///   forward   x [, gamma, beta] -> out, found_mean, found_rstd; without `out` moments alone;
///             without found ones by `mean` and `rstd`
///   backward  dy, x [, gamma], mean, rstd [, old] -> out, sums; without `out` the sums alone, of
///             which those of dy need no more than dy
///   sums      sums [, old ones] -> dgamma, dbeta
struct GroupArguments {
  DType dtype = DType::Float32;  // of x, dy, old and out
  bool columns = false;          // nhwc: the channels of a pixel follow each other
  std::int64_t images = 0, channels = 0, pixels = 0, groups = 1;
  float eps = 0;
  std::size_t shared_bytes = 0;  // that a block may have
  GroupPlan plan = {};           // of the dtype and the shape: plan_groups()
  const void *x = nullptr, *dy = nullptr, *old = nullptr;
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *rstd = nullptr;
  void* out = nullptr;
  float *found_mean = nullptr, *found_rstd = nullptr;
  void* of_parts = nullptr;   // forward: bytes_of_parts() for what one launch tells the next
  GroupSums* sums = nullptr;  // bytes_of_sums() of them
  const float *old_dgamma = nullptr, *old_dbeta = nullptr;
  float *dgamma = nullptr, *dbeta = nullptr;
};

cudaError_t launch_group_forward(cudaStream_t stream, const GroupArguments& arguments);
cudaError_t launch_group_backward(cudaStream_t stream, const GroupArguments& arguments);
cudaError_t launch_channel_sums(cudaStream_t stream, const GroupArguments& arguments);
/// The plan decides the order of sums, so neither the device nor where tensors lie changes it.
GroupPlan plan_groups(const GroupArguments& arguments);
std::size_t bytes_of_parts(const GroupArguments& arguments);
std::size_t bytes_of_sums(const GroupArguments& arguments);

/// How the body of a kernel runs where there is no GPU. Stands behind the kernel's one argument in
/// the array that cudaLaunchKernel gets. The CUDA runtime reads as many arguments as the kernel has
/// and never sees it; a runtime of the tests runs the body with it, thread after thread, and can
/// copy the body for a later replay.
struct HostBody {
  std::size_t bytes;
  std::int64_t (*threads)(const void* body);
  void (*run)(const void* body, std::int64_t thread);
};

}  // namespace normbench::cuda
