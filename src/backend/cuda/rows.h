/// The rows of the CUDA backend, by op. A row is one implementation of an op (`Kernel`).
#pragma once

#include <algorithm>
#include <array>

#include "backend/backend.h"
#include "backend/cuda/kernels.h"

namespace normbench::cuda {

std::span<const Kernel> resize_rows();
std::span<const Kernel> move_rows();        // crop, flip, layout, concat
std::span<const Kernel> eager_rows();       // cast, sub, div
std::span<const Kernel> normalize_rows();   // normalize, denormalize
std::span<const Kernel> ycbcr_rows();       // to_rgb, and normalize of YCbCr images
std::span<const Kernel> group_norm_rows();  // group_norm, and its steps moments, scale_shift, ...
std::span<const Kernel> copy_rows();        // copy, stream
std::span<const Kernel> compute_rows();
std::span<const Kernel> transfer_rows();   // h2d, d2h, exchange
std::span<const Kernel> host_call_rows();  // pin, register, unregister, launch, sync

/// All functions above.
inline constexpr std::array row_lists{
    &resize_rows,     &move_rows, &eager_rows,   &normalize_rows, &ycbcr_rows,
    &group_norm_rows, &copy_rows, &compute_rows, &transfer_rows,  &host_call_rows};

/// Returns the rows named `reference`, which define what ops mean. They compute in double, one
/// element per thread. They accept every signature that infer() of the op allows. The only
/// exception is the op `stream`, which needs a dense input.
std::vector<Kernel> reference_rows();

/// Returns a CUDA row that launches kernels. A graph can capture its launches, except if the op has
/// Constants::PerCall.
template <class T, bool (*Accepts)(const T&, const Signature&),
          Launch (*Prepare)(const T&, const Signature&)>
constexpr Kernel row(std::string_view name) {
  Kernel kernel = normbench::row<T, Accepts, Prepare>(name, Place::Cuda);
  kernel.loads = true;
  kernel.capturable = [](const Op& op, const Signature&) {
    if constexpr (requires(const T& one) { one.constants; })
      return std::get<T>(op).constants == Constants::Cached;
    else
      return true;
  };
  return kernel;
}

/// Returns `kernel` with `loads` unset, for a row that submits only copies and has no code to load.
constexpr Kernel without_kernels(Kernel kernel) {
  kernel.loads = false;
  return kernel;
}

template <class T>
bool accepts_all(const T&, const Signature&) {
  return true;
}
template <class T>
bool accepts_dense(const T&, const Signature& s) {
  return std::ranges::all_of(s.in, &TensorDesc::is_dense) &&
         std::ranges::all_of(s.out, &TensorDesc::is_dense);
}
/// Accepts dense tensors of one layout. With them, element i of the output comes from element i of
/// the input, in the order of memory.
template <class T>
bool accepts_in_order(const T& op, const Signature& s) {
  return accepts_dense(op, s) && s.in[0].layout == s.out[0].layout;
}

/// Returns true if kernels reach the memory of all inputs and of the output.
bool is_reached(const Signature& s);
/// Returns true if the output is larger than the L2 cache of the current device. Throws CudaError.
bool outgrows_l2(const Signature& s);

/// Returns the arguments for dense tensors of one layout. `constants` are in device memory.
inline BroadcastArguments broadcast_arguments(const View& in, const View& out,
                                              const float* constants) {
  const Shape& shape = out.desc.shape;
  return {.dtype = in.desc.dtype,
          .in = in.data,
          .out = out.data,
          .elements = shape.elements(),
          .constants = constants,
          .inner = out.desc.layout == Layout::Nchw ? shape.h * shape.w : 1,
          .channels = shape.c};
}

/// Returns the task of a fused kernel for one portion of the op's output. `Move` is `crop`, `flip`,
/// `layout` or `concat`, which treat all channels alike.
template <class Move>
FusedTask task_of(const Move&, const Portion& portion) {
  return {.in = portion.in, .out = portion.out, .alike = true};
}
FusedTask task_of(const Normalize& op, const Portion& portion);
FusedTask task_of(const Denormalize& op, const Portion& portion);

/// Sets `a` and `b` of each channel so that x * a + b is (x * scale - mean) / std. Throws
/// std::runtime_error if a standard deviation is 0.
void set_constants(const Normalize& op, std::int64_t channels, NormalizeArguments& arguments);
/// Sets `a` and `b` of each channel so that x * a + b is (x * std + mean) / scale.
void set_constants(const Denormalize& op, std::int64_t channels, NormalizeArguments& arguments);

}  // namespace normbench::cuda
