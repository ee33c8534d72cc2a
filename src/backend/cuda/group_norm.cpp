#include <algorithm>
#include <limits>

#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

/// Returns true if `x` is not empty and each of these counts fits in an int32: channels, elements
/// of a group, and groups of all images. The kernels count them in 32 bits.
bool is_counted(const TensorDesc& x, std::int64_t groups) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto [n, c, h, w] = x.shape.extents();
  return x.elements() > 0 && c <= most && c / groups * h * w <= most && n * groups <= most;
}

/// Returns the bytes of shared memory that a block of the current device may have. Throws
/// CudaError.
std::size_t most_shared_bytes() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)");
  return static_cast<std::size_t>(bytes);
}

/// Returns the arguments for groups of `x`, without the addresses of tensors.
GroupArguments arguments_of(const TensorDesc& x, std::int64_t groups) {
  const auto [n, c, h, w] = x.shape.extents();
  GroupArguments arguments{.dtype = x.dtype,
                           .columns = x.layout == Layout::Nhwc || h * w == 1,
                           .images = n,
                           .channels = c,
                           .pixels = h * w,
                           .groups = groups};
  arguments.plan = plan_groups(arguments);
  return arguments;
}

const float* floats(const View& view) { return reinterpret_cast<const float*>(view.data); }
float* floats_out(const View& view) { return reinterpret_cast<float*>(view.data); }

void submit_forward(Queue& queue, const GroupArguments& arguments) {
  check(launch_group_forward(stream_of(queue), arguments), "launching a group norm");
}
void submit_backward(Queue& queue, const GroupArguments& arguments) {
  check(launch_group_backward(stream_of(queue), arguments), "launching gradients of a group norm");
}
void submit_sums(Queue& queue, const GroupArguments& arguments) {
  check(launch_channel_sums(stream_of(queue), arguments), "launching sums of channels");
}

/// Loads the kernels for aligned and for unaligned tensors. This also raises the shared-memory
/// limit of these kernels, so that no launch has to raise it.
void load(const GroupArguments& prepared,
          cudaError_t (*launch)(cudaStream_t, const GroupArguments&)) {
  for (const std::uintptr_t address : {16, 4}) {  // loading does not access memory there
    GroupArguments somewhere = prepared;
    somewhere.x = somewhere.out = reinterpret_cast<void*>(address);
    check(launch(only_load(), somewhere), "loading a group norm");
  }
}

const TensorDesc& x_of(const GroupNorm& op, const Signature& s) {
  return s.in[static_cast<std::size_t>(op.inputs().x)];
}

bool accepts_group_norm(const GroupNorm& op, const Signature& s) {
  return accepts_dense(op, s) && is_counted(x_of(op, s), op.groups);
}

Launch prepare_forward(const GroupNorm& op, const Signature& s) {
  GroupArguments prepared = arguments_of(x_of(op, s), op.groups);
  prepared.eps = static_cast<float>(op.eps);
  prepared.shared_bytes = most_shared_bytes();
  load(prepared, &launch_group_forward);
  return [prepared, affine = op.affine](Queue& queue, std::span<const View> in,
                                        std::span<const View> out, View scratch) {
    GroupArguments arguments = prepared;
    arguments.of_parts = scratch.data;
    arguments.x = in[0].data;
    if (affine) arguments.gamma = floats(in[1]), arguments.beta = floats(in[2]);
    arguments.out = out[0].data;
    arguments.found_mean = floats_out(out[1]), arguments.found_rstd = floats_out(out[2]);
    submit_forward(queue, arguments);
  };
}

Launch prepare_backward(const GroupNorm& op, const Signature& s) {
  GroupArguments prepared = arguments_of(x_of(op, s), op.groups);
  prepared.shared_bytes = most_shared_bytes();
  load(prepared, &launch_group_backward);
  return [prepared, op, which = op.inputs()](Queue& queue, std::span<const View> in,
                                             std::span<const View> out, View scratch) {
    const auto given = [&](int input) {
      return input < 0 ? nullptr : in[static_cast<std::size_t>(input)].data;
    };
    const auto given_floats = [&](int input) {
      return reinterpret_cast<const float*>(given(input));
    };
    GroupArguments arguments = prepared;
    arguments.dy = given(which.dy), arguments.x = given(which.x);
    arguments.old = given(which.old_dx);
    arguments.gamma = given_floats(which.gamma);
    arguments.mean = given_floats(which.mean), arguments.rstd = given_floats(which.rstd);
    arguments.out = out[0].data;
    arguments.sums = reinterpret_cast<GroupSums*>(scratch.data);
    submit_backward(queue, arguments);
    if (!op.affine) return;
    arguments.old_dgamma = given_floats(which.old_dgamma);
    arguments.old_dbeta = given_floats(which.old_dbeta);
    arguments.dgamma = floats_out(out[1]), arguments.dbeta = floats_out(out[2]);
    submit_sums(queue, arguments);
  };
}

Launch prepare_group_norm(const GroupNorm& op, const Signature& s) {
  return op.direction == Direction::Forward ? prepare_forward(op, s) : prepare_backward(op, s);
}

Kernel group_norm_row() {
  Kernel kernel = row<GroupNorm, accepts_group_norm, prepare_group_norm>("fused");
  kernel.scratch = [](const Op& erased, const Signature& s) {
    const auto& op = std::get<GroupNorm>(erased);
    const GroupArguments arguments = arguments_of(x_of(op, s), op.groups);
    return op.direction == Direction::Forward ? bytes_of_parts(arguments)
                                              : bytes_of_sums(arguments);
  };
  return kernel;
}

// The functions below are for the ops that together compute a group norm: `moments`, `scale_shift`,
// `mul` and others. Each of these ops is a separate pass over memory.

bool accepts_moments(const Moments& op, const Signature& s) {
  return accepts_dense(op, s) && is_counted(s.in[0], op.groups);
}

Launch prepare_moments(const Moments& op, const Signature& s) {
  GroupArguments prepared = arguments_of(s.in[0], op.groups);
  prepared.eps = static_cast<float>(op.eps);
  return
      [prepared](Queue& queue, std::span<const View> in, std::span<const View> out, View scratch) {
        GroupArguments arguments = prepared;
        arguments.of_parts = scratch.data;
        arguments.x = in[0].data;
        arguments.found_mean = floats_out(out[0]), arguments.found_rstd = floats_out(out[1]);
        submit_forward(queue, arguments);
      };
}

Kernel moments_row() {
  Kernel kernel = row<Moments, accepts_moments, prepare_moments>("eager");
  kernel.scratch = [](const Op& op, const Signature& s) {
    return bytes_of_parts(arguments_of(s.in[0], std::get<Moments>(op).groups));
  };
  return kernel;
}

bool accepts_scale_shift(const ScaleShift& op, const Signature& s) {
  return accepts_dense(op, s) && (op.over == Over::Channel || is_counted(s.in[0], s.in[1].shape.c));
}

Launch prepare_scale_shift(const ScaleShift& op, const Signature& s) {
  if (op.over == Over::Channel)
    return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
      auto arguments = broadcast_arguments(in[0], out[0], floats(in[1]));
      arguments.shifts = floats(in[2]);
      check(launch_scale_shift(stream_of(queue), arguments), "launching scale_shift");
    };
  return [prepared = arguments_of(s.in[0], s.in[1].shape.c)](Queue& queue, std::span<const View> in,
                                                             std::span<const View> out, View) {
    GroupArguments arguments = prepared;
    arguments.x = in[0].data;
    arguments.mean = floats(in[1]), arguments.rstd = floats(in[2]);
    arguments.out = out[0].data;
    submit_forward(queue, arguments);
  };
}

PairArguments pair(std::span<const View> in, const View& out) {
  return {.dtype = out.desc.dtype,
          .a = in[0].data,
          .b = in[1].data,
          .out = out.data,
          .elements = out.desc.elements()};
}

Launch prepare_mul(const Mul&, const Signature& s) {
  if (s.in[0].shape == s.in[1].shape && s.in[0].dtype == s.in[1].dtype)
    return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
      check(launch_multiply(stream_of(queue), pair(in, out[0])), "launching mul");
    };
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const auto arguments = broadcast_arguments(in[0], out[0], floats(in[1]));
    check(launch_scale_shift(stream_of(queue), arguments), "launching mul");
  };
}

Launch prepare_accumulate(const Accumulate&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    check(launch_add(stream_of(queue), pair(in, out[0])), "launching accumulate");
  };
}

/// Returns the number of groups into which the channels of an image are divided for summing. It is
/// the largest divisor of the number of channels that leaves at least 4096 elements to each group,
/// or 1. A group of 4096 elements is enough work for a block.
std::int64_t groups_to_sum(const Shape& x) {
  constexpr std::int64_t worth = 4096;
  const std::int64_t most = std::clamp<std::int64_t>(x.c * x.h * x.w / worth, 1, x.c);
  std::int64_t groups = 1;
  for (std::int64_t divisor = 1; divisor * divisor <= x.c; ++divisor)
    for (const std::int64_t one : {divisor, x.c / divisor})
      if (x.c % divisor == 0 && one <= most) groups = std::max(groups, one);
  return groups;
}

bool accepts_sum(const Sum& op, const Signature& s) {
  return accepts_dense(op, s) && is_counted(s.in[0], groups_to_sum(s.in[0].shape));
}

/// Sums x with the kernels that compute dbeta in a backward pass. These kernels sum dy, so x is
/// passed as dy.
Launch prepare_sum(const Sum&, const Signature& s) {
  return [prepared = arguments_of(s.in[0], groups_to_sum(s.in[0].shape))](
             Queue& queue, std::span<const View> in, std::span<const View> out, View scratch) {
    GroupArguments arguments = prepared;
    arguments.dy = in[0].data;
    arguments.sums = reinterpret_cast<GroupSums*>(scratch.data);
    arguments.dbeta = floats_out(out[0]);
    submit_backward(queue, arguments);
    submit_sums(queue, arguments);
  };
}

Kernel sum_row() {
  Kernel kernel = row<Sum, accepts_sum, prepare_sum>("eager");
  kernel.scratch = [](const Op&, const Signature& s) {
    return bytes_of_sums(arguments_of(s.in[0], groups_to_sum(s.in[0].shape)));
  };
  return kernel;
}

bool accepts_batch_norm_backward(const BatchNormBackward& op, const Signature& s) {
  return accepts_dense(op, s) && is_counted(s.in[1], s.in[2].shape.c);
}

Launch prepare_batch_norm_backward(const BatchNormBackward&, const Signature& s) {
  GroupArguments prepared = arguments_of(s.in[1], s.in[2].shape.c);
  prepared.shared_bytes = most_shared_bytes();
  load(prepared, &launch_group_backward);
  return
      [prepared](Queue& queue, std::span<const View> in, std::span<const View> out, View scratch) {
        GroupArguments arguments = prepared;
        arguments.dy = in[0].data, arguments.x = in[1].data;
        arguments.mean = floats(in[2]), arguments.rstd = floats(in[3]);
        arguments.out = out[0].data;
        arguments.sums = reinterpret_cast<GroupSums*>(scratch.data);
        submit_backward(queue, arguments);
      };
}

Kernel batch_norm_backward_row() {
  Kernel kernel =
      row<BatchNormBackward, accepts_batch_norm_backward, prepare_batch_norm_backward>("eager");
  kernel.scratch = [](const Op&, const Signature& s) {
    return bytes_of_sums(arguments_of(s.in[1], s.in[2].shape.c));
  };
  return kernel;
}

}  // namespace

std::span<const Kernel> group_norm_rows() {
  static const Kernel rows[] = {
      group_norm_row(),
      moments_row(),
      row<ScaleShift, accepts_scale_shift, prepare_scale_shift>("eager"),
      row<Mul, accepts_dense<Mul>, prepare_mul>("eager"),
      sum_row(),
      batch_norm_backward_row(),
      row<Accumulate, accepts_dense<Accumulate>, prepare_accumulate>("eager")};
  return rows;
}

}  // namespace normbench::cuda
