#include <algorithm>
#include <memory>

#include "backend/cpu/constants.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

/// The most channels that `crop`, `flip`, `layout` and `concat` accept. Spot::next() adds two
/// channel numbers, and the sum must fit in 32 bits.
constexpr std::int64_t kMostMovedChannels = std::int64_t{1} << 30;

/// Returns true if kernels access this memory on the device, not over the link to the host.
bool is_on_device(Memory memory) { return memory == Memory::Device || memory == Memory::Managed; }

template <class T>
bool accepts_move(const T&, const Signature& s) {
  return s.out[0].is_dense() && s.out[0].shape.c <= kMostMovedChannels &&
         s.in[0].dtype == s.out[0].dtype && is_reached(s);
}

template <class T>
Launch prepare_move(const T& op, const Signature& s) {
  return [op, streaming = outgrows_l2(s)](Queue& queue, std::span<const View> in,
                                          std::span<const View> out, View) {
    for (const Portion& portion : portions_of(op, in, out[0])) {
      FusedTask task = task_of(op, portion);
      task.streaming = streaming;
      check(launch_move(stream_of(queue), task), "launching a move");
    }
  };
}

using LaunchNormalize = cudaError_t (*)(cudaStream_t, const NormalizeArguments&);

/// Returns the launch function, or null if no kernel normalises to the dtype `op.to`.
LaunchNormalize launch_of(const Normalize& op) {
  if (op.to == DType::Float16) return &launch_normalize<DType::Float16>;
  if (op.to == DType::BFloat16) return &launch_normalize<DType::BFloat16>;
  return op.to == DType::Float32 ? &launch_normalize<DType::Float32> : nullptr;
}
LaunchNormalize launch_of(const Denormalize&) { return &launch_denormalize; }

/// If `OnDevice` is true, accepts only an input in device memory. Otherwise accepts only an input
/// that kernels read over the link to the host.
template <class T, bool OnDevice>
bool accepts_affine(const T& op, const Signature& s) {
  return !has_ycbcr(s) && launch_of(op) != nullptr && s.out[0].is_dense() &&
         s.out[0].shape.c <= most_channels && is_reached(s) &&
         is_on_device(s.in[0].memory) == OnDevice;
}

template <class T>
void submit(const T& op, bool streaming, Queue& queue, std::span<const View> in, const View& out,
            NormalizeArguments& arguments) {
  for (const Portion& portion : portions_of(op, in, out)) {
    arguments.task = task_of(op, portion);
    arguments.task.streaming = streaming;
    check(launch_of(op)(stream_of(queue), arguments), "launching " + std::string(T::name));
  }
}

/// Prepares a launch that carries the constants in its kernel arguments.
template <class T>
Launch prepare_cached(const T& op, const Signature& s) {
  NormalizeArguments prepared;
  set_constants(op, s.out[0].shape.c, prepared);
  return [op, prepared, streaming = outgrows_l2(s)](Queue& queue, std::span<const View> in,
                                                    std::span<const View> out, View) {
    NormalizeArguments arguments = prepared;
    submit(op, streaming, queue, in, out[0], arguments);
  };
}

/// Prepares a launch that computes the constants and sends them every time, as torchvision creates
/// two tensors (mean and std) in every call.
Launch prepare_per_call(const Normalize& op, const Signature& s) {
  const auto channels = static_cast<std::size_t>(s.out[0].shape.c);
  const auto a = std::make_shared<DeviceArray<float>>(channels);
  const auto b = std::make_shared<DeviceArray<float>>(channels);
  return [op, streaming = outgrows_l2(s), channels, a, b](Queue& queue, std::span<const View> in,
                                                          std::span<const View> out, View) {
    NormalizeArguments arguments;
    {
      const Range range(queue.recorder, RangeKind::Part, constants_range);
      set_constants(op, static_cast<std::int64_t>(channels), arguments);
      a->send(stream_of(queue), std::span(arguments.a, channels));
      b->send(stream_of(queue), std::span(arguments.b, channels));
    }
    arguments.sent_a = a->data();
    arguments.sent_b = b->data();
    submit(op, streaming, queue, in, out[0], arguments);
  };
}

Launch prepare_normalize(const Normalize& op, const Signature& s) {
  return op.constants == Constants::Cached ? prepare_cached(op, s) : prepare_per_call(op, s);
}

template <class T>
Kernel move_row() {
  return row<T, accepts_move<T>, prepare_move<T>>("vector");
}

}  // namespace

bool is_reached(const Signature& s) {
  const auto reached = [](const TensorDesc& one) { return reaches(Place::Cuda, one.memory); };
  return std::ranges::all_of(s.in, reached) && reached(s.out[0]);
}

bool outgrows_l2(const Signature& s) {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
        "cudaDeviceGetAttribute(cudaDevAttrL2CacheSize)");
  return s.out[0].bytes() > bytes;
}

FusedTask task_of(const Normalize& op, const Portion& portion) {
  return {.in = portion.in, .out = portion.out, .alike = op.mean.size() == 1 && op.std.size() == 1};
}
FusedTask task_of(const Denormalize& op, const Portion& portion) {
  return {.in = portion.in, .out = portion.out, .alike = op.mean.size() == 1 && op.std.size() == 1};
}

void set_constants(const Denormalize& op, std::int64_t channels, NormalizeArguments& arguments) {
  for (std::int64_t c = 0; c < channels; ++c) {
    arguments.a[c] = static_cast<float>(at_channel(op.std, c) / op.scale);
    arguments.b[c] = static_cast<float>(at_channel(op.mean, c) / op.scale);
  }
}

void set_constants(const Normalize& op, std::int64_t channels, NormalizeArguments& arguments) {
  check_divisors(op.std);
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto [a, b] = op.multiply_add(c);
    arguments.a[c] = static_cast<float>(a);
    arguments.b[c] = static_cast<float>(b);
  }
}

std::span<const Kernel> move_rows() {
  static const Kernel rows[] = {move_row<Crop>(), move_row<FlipOp>(), move_row<LayoutOp>(),
                                move_row<Concat>()};
  return rows;
}

std::span<const Kernel> normalize_rows() {
  static const Kernel rows[] = {
      row<Normalize, accepts_affine<Normalize, true>, prepare_normalize>("fused"),
      row<Normalize, accepts_affine<Normalize, false>, prepare_normalize>("mapped"),
      row<Denormalize, accepts_affine<Denormalize, true>, prepare_cached<Denormalize>>("fused"),
      row<Denormalize, accepts_affine<Denormalize, false>, prepare_cached<Denormalize>>("mapped")};
  return rows;
}

}  // namespace normbench::cuda
