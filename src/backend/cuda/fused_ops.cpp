#include "backend/cuda/fused_ops.h"

#include "backend/cpu/constants.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

View cut(const Window& window, const View& in) {
  const auto [top, left] = window.origin(in.desc.shape.h, in.desc.shape.w);
  return crop_view(in, top, left, window.height, window.width);
}

}  // namespace

FusedTask task_of(const Crop& op, const View& in, const View& out) {
  return {.in = cut(op.window, in), .out = out, .alike = true};
}

FusedTask task_of(const FlipOp& op, const View& in, const View& out) {
  return {.in = flip_view(in, op.axis), .out = out, .alike = true};
}

FusedTask task_of(const LayoutOp&, const View& in, const View& out) {
  return {.in = in, .out = out, .alike = true};
}

FusedTask task_of(const Normalize& op, const View& in, const View& out) {
  const View window = op.crop ? cut(*op.crop, in) : in;
  return {.in = flip_view(window, op.flip),
          .out = out,
          .alike = op.mean.size() == 1 && op.std.size() == 1};
}

void set_constants(const Normalize& op, std::int64_t channels, NormalizeArguments& arguments) {
  check_divisors(op.std);
  for (std::int64_t c = 0; c < channels; ++c) {
    const double std = at_channel(op.std, c);
    arguments.a[c] = static_cast<float>(op.scale / std);
    arguments.b[c] = static_cast<float>(-at_channel(op.mean, c) / std);
  }
}

}  // namespace normbench::cuda
