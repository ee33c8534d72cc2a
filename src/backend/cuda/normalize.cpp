#include "backend/cuda/normalize.h"

#include <memory>

#include "backend/cuda/constants.h"
#include "backend/cuda/fused_ops.h"
#include "backend/cuda/fused_rows.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

using LaunchFunction = cudaError_t (*)(cudaStream_t, const NormalizeArguments&);

LaunchFunction launch_function(DType to) {
  if (to == DType::Float16) return &launch_normalize_float16;
  if (to == DType::BFloat16) return &launch_normalize_bfloat16;
  return &launch_normalize_float32;
}

bool takes(const Normalize& op, const Signature& s) {
  return op.to != DType::UInt8 && s.out[0].is_dense() && s.out[0].shape.c <= most_channels &&
         reaches(Place::Cuda, s.in[0].memory) && reaches(Place::Cuda, s.out[0].memory);
}

bool accepts_fused(const Normalize& op, const Signature& s) {
  return takes(op, s) && is_on_device(s.in[0].memory);
}

bool accepts_mapped(const Normalize& op, const Signature& s) {
  return takes(op, s) && !is_on_device(s.in[0].memory);
}

void submit(const Normalize& op, bool streaming, Queue& queue, const View& in, const View& out,
            NormalizeArguments& arguments) {
  arguments.task = task_of(op, in, out);
  arguments.task.streaming = streaming;
  check(launch_function(op.to)(stream_of(queue), arguments), "launching normalize");
}

bool outgrows_l2(const Signature& s) { return s.out[0].bytes() > l2_bytes(); }

/// The constants travel with the launch.
Launch prepare_cached(const Normalize& op, const Signature& s) {
  NormalizeArguments prepared;
  set_constants(op, s.out[0].shape.c, prepared);
  return [op, prepared, streaming = outgrows_l2(s)](Queue& queue, std::span<const View> in,
                                                    std::span<const View> out, View) {
    NormalizeArguments arguments = prepared;
    submit(op, streaming, queue, in[0], out[0], arguments);
  };
}

/// The constants are made and sent to the device by every launch, as torchvision makes two tensors
/// in every call.
Launch prepare_per_call(const Normalize& op, const Signature& s) {
  const auto channels = static_cast<std::size_t>(s.out[0].shape.c);
  const auto a = std::make_shared<DeviceConstants>(channels);
  const auto b = std::make_shared<DeviceConstants>(channels);
  return [op, streaming = outgrows_l2(s), channels, a, b](Queue& queue, std::span<const View> in,
                                                          std::span<const View> out, View) {
    NormalizeArguments arguments;
    {
      const Range range(queue.recorder, RangeKind::Part, "constants");
      set_constants(op, static_cast<std::int64_t>(channels), arguments);
      a->send(stream_of(queue), std::span(arguments.a, channels));
      b->send(stream_of(queue), std::span(arguments.b, channels));
    }
    arguments.sent_a = a->data();
    arguments.sent_b = b->data();
    submit(op, streaming, queue, in[0], out[0], arguments);
  };
}

Launch prepare(const Normalize& op, const Signature& s) {
  return op.constants == Constants::Cached ? prepare_cached(op, s) : prepare_per_call(op, s);
}

template <bool (*Accepts)(const Normalize&, const Signature&)>
Kernel one_pass_row(std::string_view name) {
  Kernel kernel = row<Normalize, Accepts, prepare>(name);
  kernel.cost = &cost_over_link;
  return kernel;
}

}  // namespace

std::span<const Kernel> normalize_rows() {
  static const Kernel rows[] = {reference_row(Normalize::name),
                                one_pass_row<accepts_fused>("fused"),
                                one_pass_row<accepts_mapped>("mapped")};
  return rows;
}

}  // namespace normbench::cuda
