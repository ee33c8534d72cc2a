#include "backend/cpu/constants.h"
#include "backend/cuda/constants.h"
#include "backend/cuda/eager.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

using LaunchBroadcast = cudaError_t (*)(cudaStream_t, const BroadcastArguments&);

template <class T>
bool accepts(const T&, const Signature& s) {
  return s.in[0].dtype != DType::UInt8 && s.in[0].is_dense() && s.out[0].is_dense() &&
         s.in[0].layout == s.out[0].layout;
}

/// One float32 per channel, where one value may stand for all.
std::vector<float> per_channel(const std::vector<double>& values, std::int64_t channels) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(channels));
  for (std::int64_t c = 0; c < channels; ++c)
    all.push_back(static_cast<float>(at_channel(values, c)));
  return all;
}

ConstantsBody broadcast(LaunchBroadcast launch, std::string_view what) {
  return [launch, what](Queue& queue, const View& in, const View& out, const float* constants) {
    const Shape& shape = out.desc.shape;
    const BroadcastArguments arguments{
        .dtype = in.desc.dtype,
        .in = in.data,
        .out = out.data,
        .elements = shape.elements(),
        .constants = constants,
        .inner = out.desc.layout == Layout::Nchw ? shape.h * shape.w : 1,
        .channels = shape.c};
    check(launch(stream_of(queue), arguments), what);
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
    return per_channel(std, channels);
  };
  return with_device_constants(op.constants, make, broadcast(&launch_div, "launching div"));
}

}  // namespace

std::span<const Kernel> sub_div_rows() {
  static const Kernel rows[] = {
      reference_row(Sub::name), row<Sub, accepts<Sub>, prepare_sub>("eager"),
      reference_row(Div::name), row<Div, accepts<Div>, prepare_div>("eager")};
  return rows;
}

}  // namespace normbench::cuda
