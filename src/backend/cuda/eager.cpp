#include <memory>

#include "backend/cpu/constants.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

Launch prepare_cast(const Cast&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const CastArguments arguments{.from = in[0].desc.dtype,
                                  .to = out[0].desc.dtype,
                                  .in = in[0].data,
                                  .out = out[0].data,
                                  .elements = out[0].desc.elements()};
    check(launch_cast(stream_of(queue), arguments), "launching cast");
  };
}

/// Launches a CUDA kernel that computes `out` from `in` and from `constants`, which are in device
/// memory.
using ConstantsBody =
    std::function<void(Queue&, const View& in, const View& out, const float* constants)>;

/// Returns a launch that calls `body` with the constants that `make` returns, in device memory.
/// - Constants::Cached: with_device_constants() sends the constants to the device, once.
/// - Constants::PerCall: every launch calls `make` and sends the constants, and records this as a
///   range named `constants`.
/// In both cases, with_device_constants() calls `make` once to learn the number of constants, so
/// `make` must always return the same number. `make` may throw std::runtime_error.
Launch with_device_constants(Constants when, std::function<std::vector<float>()> make,
                             ConstantsBody body) {
  const std::vector<float> first = make();
  const auto constants = std::make_shared<DeviceArray<float>>(first.size());
  if (when == Constants::Cached) {
    constants->send(nullptr, first);
    return [constants, body](Queue& queue, std::span<const View> in, std::span<const View> out,
                             View) { body(queue, in[0], out[0], constants->data()); };
  }
  return [constants, make, body](Queue& queue, std::span<const View> in, std::span<const View> out,
                                 View) {
    {
      const Range range(queue.recorder, RangeKind::Part, constants_range);
      constants->send(stream_of(queue), make());
    }
    body(queue, in[0], out[0], constants->data());
  };
}

using LaunchBroadcast = cudaError_t (*)(cudaStream_t, const BroadcastArguments&);

/// Returns one float32 per channel. `values` may have a single value for all channels.
std::vector<float> per_channel(const std::vector<double>& values, std::int64_t channels) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(channels));
  for (std::int64_t c = 0; c < channels; ++c)
    all.push_back(static_cast<float>(at_channel(values, c)));
  return all;
}

ConstantsBody broadcast(LaunchBroadcast launch, std::string_view what) {
  return [launch, what](Queue& queue, const View& in, const View& out, const float* constants) {
    check(launch(stream_of(queue), broadcast_arguments(in, out, constants)), what);
  };
}

Launch prepare_sub(const Sub& op, const Signature& s) {
  const auto make = [mean = op.mean, channels = s.in[0].shape.c] {
    return per_channel(mean, channels);
  };
  return with_device_constants(op.constants, make, broadcast(&launch_sub, "launching sub"));
}

Launch prepare_div(const Div& op, const Signature& s) {
  const auto make = [std = op.std, channels = s.in[0].shape.c] {
    check_divisors(std);
    std::vector<float> all;
    for (const float divisor : per_channel(std, channels))
      all.insert(all.end(), {divisor, inverse_of(divisor)});
    return all;
  };
  return with_device_constants(op.constants, make, broadcast(&launch_div, "launching div"));
}

}  // namespace

std::span<const Kernel> eager_rows() {
  static const Kernel rows[] = {row<Cast, accepts_in_order<Cast>, prepare_cast>("eager"),
                                row<Sub, accepts_in_order<Sub>, prepare_sub>("eager"),
                                row<Div, accepts_in_order<Div>, prepare_div>("eager")};
  return rows;
}

}  // namespace normbench::cuda
