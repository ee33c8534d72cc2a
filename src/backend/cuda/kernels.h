/// The arguments and the launch functions of the kernels in the .cu files. A launch function
/// submits its kernel to `stream` and does not wait for it.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace normbench::cuda {

/// Returns a value to pass instead of a stream. A launch function that gets this value loads the
/// code of its kernel onto the device and launches nothing.
inline cudaStream_t only_load() { return reinterpret_cast<cudaStream_t>(~std::uintptr_t{0}); }

/// Launches a kernel that does nothing.
cudaError_t launch_empty(cudaStream_t stream);
/// Loads the kernel of launch_empty() without running it. Fails if this build has no kernels for
/// the current device.
cudaError_t load_empty();

/// The cycle count of a multiprocessor and the GPU's time at one moment. Both are 0 if no block has
/// read them.
struct ClockReading {
  std::uint64_t cycles = 0, time_ns = 0;
};

/// Launches `blocks` blocks. Each block stores a reading of the multiprocessor that it runs on in
/// `readings[i]`, where i is the number of that multiprocessor (%smid). If i is `count` or more,
/// the block stores nothing.
cudaError_t launch_read_clocks(cudaStream_t stream, ClockReading* readings, unsigned count,
                               unsigned blocks);

/// Returns the GPU architectures that this build has kernels for, like "sm_80, sm_90".
std::string built_architectures();

/// Copies `bytes` bytes between any memories that the device reaches. The two ranges must not
/// overlap. Copies 16 bytes at a time if `to` and `from` differ by a multiple of 16, else 4 bytes
/// at a time if they differ by a multiple of 4, else single bytes.
cudaError_t launch_copy(cudaStream_t stream, void* to, const void* from, std::int64_t bytes);

struct StreamArguments {
  const void* in = nullptr;
  std::int64_t read_bytes = 0;
  void* out = nullptr;
  std::int64_t written_bytes = 0;
  bool streaming = false;  // true: stores with __stcs; caches evict such lines first
};

/// Reads `read_bytes` bytes and writes `written_bytes` bytes as fast as the device's memory allows.
/// The two ranges must not overlap. A vector has 16 bytes and starts at a multiple of 16.
/// - All whole vectors of the input are read. All whole vectors of the output get arbitrary values.
/// - Input bytes before the first and after the last whole vector are not read. Output bytes before
///   the first and after the last whole vector become 0.
cudaError_t launch_stream(cudaStream_t stream, const StreamArguments& arguments);

struct BusyArguments {
  std::int64_t blocks = 0;      // of 256 threads
  std::int64_t steps = 0;       // multiply-adds of a thread, each on the result of the previous one
  std::byte* unused = nullptr;  // not null; never written, but the compiler cannot know that
};

/// Launches `blocks` blocks that only compute, to keep that many multiprocessors busy.
cudaError_t launch_busy(cudaStream_t stream, const BusyArguments& arguments);

/// Arguments of a cast. Element i of `out` is element i of `in`, converted to the dtype `to`.
struct CastArguments {
  DType from = DType::UInt8, to = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in` if the dtypes are equal
  std::int64_t elements = 0;
};

/// Arguments of an operation with constants per channel. Element i belongs to channel i / inner %
/// channels.
struct BroadcastArguments {
  DType dtype = DType::Float32;
  const void* in = nullptr;
  void* out = nullptr;  // may be `in`
  std::int64_t elements = 0;
  const float* constants = nullptr;  // in device memory; one per channel; two for launch_div()
  std::int64_t inner = 1, channels = 1;
  const float* shifts = nullptr;  // only for launch_scale_shift(); one per channel; null: all 0
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
/// Launches x / divisor, computed in float32 and rounded to the dtype. `constants` has two floats
/// per channel: the divisor and inverse_of(divisor).
cudaError_t launch_div(cudaStream_t stream, const BroadcastArguments& arguments);

/// Launches x * constant + shift.
cudaError_t launch_scale_shift(cudaStream_t stream, const BroadcastArguments& arguments);
cudaError_t launch_multiply(cudaStream_t stream, const PairArguments& arguments);
cudaError_t launch_add(cudaStream_t stream, const PairArguments& arguments);

/// Returns 1 / divisor if |divisor| is from 2^-20 to 2^20. Else returns 0, which makes launch_div()
/// divide instead of multiplying by the inverse.
inline float inverse_of(float divisor) {
  const float size = std::abs(divisor);
  return size >= 0x1p-20f && size <= 0x1p20f ? 1 / divisor : 0;
}

/// Heights and widths of a resize must be less than this limit. A resize computes distances in
/// fractions of a pixel as 32-bit integers (`Taps` in resize.cuh). The longest distance is the
/// width of a filter: at most 4 * (the larger one of the input and output extents). If both extents
/// are less than the limit, this width is less than 2^31.
inline constexpr std::int64_t resize_extent_limit = std::int64_t{1} << 29;

/// Arguments of an antialiased bilinear resize in one pass. Input and output have `planes` planes
/// without gaps inside. A pixel of a plane has `group` elements: 1 in NCHW, all channels in NHWC.
/// The images are resized from `from_height` x `from_width` to `to_height` x `to_width` pixels. A
/// plane has one sample for each pixel of the image, or fewer if the samples are chroma.
struct ResizeArguments {
  DType dtype = DType::UInt8;
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t planes = 0, group = 1;
  std::int64_t from_height = 0, from_width = 0, to_height = 0, to_width = 0;
  std::int64_t in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  std::int64_t in_plane = 0, out_plane = 0;  // elements from a plane to the next
};

cudaError_t launch_resize(cudaStream_t stream, const ResizeArguments& arguments);

/// The task of a fused kernel, which computes the output in one pass. The input may have any
/// strides.
struct FusedTask {
  View in, out;            // `in` may be strided (cropped, flipped); `out` is dense
  bool alike = false;      // all channels have the same constants, or no channel has any
  bool streaming = false;  // the output is too large to stay in the L2 cache
  std::int64_t enough_threads = 1 << 18;  // if there are more 16-byte slots, a thread takes several
};

/// Moves elements without changing them. Input and output have the same dtype.
cudaError_t launch_move(cudaStream_t stream, const FusedTask& task);

/// The most channels whose constants fit in the kernel arguments.
inline constexpr int most_channels = 64;

/// Arguments of y = x * a[c] + b[c] as one fused multiply-add, for `normalize` and `denormalize`. c
/// is the channel of x.
struct NormalizeArguments {
  FusedTask task;
  const float* sent_a = nullptr;  // in device memory; null: `a` and `b` are used
  const float* sent_b = nullptr;
  float a[most_channels] = {}, b[most_channels] = {};
};

/// Launches a `normalize` from any dtype to `To`. Each specialisation has its own .cu file, because
/// it takes long to compile.
template <DType To>
cudaError_t launch_normalize(cudaStream_t stream, const NormalizeArguments& arguments);
template <>
cudaError_t launch_normalize<DType::Float32>(cudaStream_t, const NormalizeArguments&);
template <>
cudaError_t launch_normalize<DType::Float16>(cudaStream_t, const NormalizeArguments&);
template <>
cudaError_t launch_normalize<DType::BFloat16>(cudaStream_t, const NormalizeArguments&);
/// Launches a `denormalize` from a float dtype to uint8.
cudaError_t launch_denormalize(cudaStream_t stream, const NormalizeArguments& arguments);

/// A conversion of YCbCr images to RGB. An output image is the window of an input image that begins
/// at row `top` and column `left`, mirrored by `flip`. Both views are dense. The flags tell along
/// which axes chroma is upsampled with a triangle (chroma_upsampling()).
struct YcbcrTask {
  View in, out;
  std::int64_t top = 0, left = 0;
  Flip flip = Flip::None;
  bool triangle_across = false, triangle_down = false;
  bool streaming = false;  // the output is too large to stay in the L2 cache
};

/// The sides of images in a YcbcrTask must be less than this limit, because kernels count rows and
/// columns with 32 bits.
inline constexpr std::int64_t ycbcr_extent_limit = std::int64_t{1} << 31;

/// Arguments of a normalisation of YCbCr images, with the constants of red, green and blue.
struct YcbcrArguments {
  YcbcrTask task;
  const float* sent_a = nullptr;  // in device memory; null: `a` and `b` are used
  const float* sent_b = nullptr;
  float a[3] = {}, b[3] = {};
};

/// Launches a `normalize` of YCbCr images to the float dtype of the output.
cudaError_t launch_normalize_ycbcr(cudaStream_t stream, const YcbcrArguments& arguments);
/// Launches a `to_rgb`, whose output is uint8.
cudaError_t launch_to_rgb(cudaStream_t stream, const YcbcrTask& task);

/// Sums over the pixels of a channel: `products` sums dy * (x - mean) * rstd, `plain` sums dy.
struct GroupSums {
  float products = 0, plain = 0;
};

/// How many blocks and warps share the work on a group. A line is a part of the group: the plane of
/// one channel (nchw), or one or a few neighbouring channels of all pixels (nhwc).
struct GroupPlan {
  unsigned parts = 1;   // parts of a group; one block works on a part
  unsigned warps = 1;   // warps of a block
  unsigned pieces = 1;  // pieces of a line (group_lines.cuh); a warp takes one at a time
};

/// The tensors of a group norm or of its gradient, all dense. Tensors in brackets may be null:
///   forward   x [, gamma, beta] -> out, found_mean, found_rstd
///             If `out` is null, only the moments are computed.
///             If `mean` and `rstd` are given, x is normalised with them, and no moments are
///             computed.
///   backward  dy, x [, gamma], mean, rstd [, old] -> out, sums
///             If `out` is null, only the sums are computed. If only GroupSums::plain is needed,
///             all inputs except dy may be null.
///   sums      sums [, old_dgamma, old_dbeta] -> dgamma, dbeta (one of these two may be null)
struct GroupArguments {
  DType dtype = DType::Float32;  // of x, dy, old and out
  bool columns = false;          // true: the channels of a pixel are contiguous (nhwc)
  std::int64_t images = 0, channels = 0, pixels = 0, groups = 1;
  float eps = 0;
  std::size_t shared_bytes = 0;  // limit of a block's shared memory
  GroupPlan plan = {};           // the result of plan_groups()
  const void *x = nullptr, *dy = nullptr, *old = nullptr;
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *rstd = nullptr;
  void* out = nullptr;
  float *found_mean = nullptr, *found_rstd = nullptr;
  void* of_parts = nullptr;   // scratch memory for forward: bytes_of_parts() bytes
  GroupSums* sums = nullptr;  // memory of bytes_of_sums() bytes
  const float *old_dgamma = nullptr, *old_dbeta = nullptr;
  float *dgamma = nullptr, *dbeta = nullptr;
};

cudaError_t launch_group_forward(cudaStream_t stream, const GroupArguments& arguments);
cudaError_t launch_group_backward(cudaStream_t stream, const GroupArguments& arguments);
cudaError_t launch_channel_sums(cudaStream_t stream, const GroupArguments& arguments);
/// Returns the plan for the dtype, layout, shape and number of groups. The plan decides in which
/// order sums are added. It does not depend on the device or on addresses, so that results have the
/// same bits everywhere.
GroupPlan plan_groups(const GroupArguments& arguments);
std::size_t bytes_of_parts(const GroupArguments& arguments);
std::size_t bytes_of_sums(const GroupArguments& arguments);

/// What the fake CUDA runtime of the tests needs to run a kernel's body on the host. It is passed
/// as a second kernel argument of cudaLaunchKernel(). The real runtime ignores it, because the
/// kernel has only one parameter.
struct HostBody {
  std::size_t bytes;  // size of the body; a graph keeps a copy of it
  std::int64_t (*threads)(const void* body);
  void (*run)(const void* body, std::int64_t thread);
};

}  // namespace normbench::cuda
