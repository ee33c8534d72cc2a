/// The CUDA rows that make RGB from YCbCr images.
#include "ops/ycbcr.h"

#include <algorithm>
#include <memory>

#include "backend/cpu/constants.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "ops/checks.h"

namespace normbench::cuda {
namespace {

bool accepts_images(const Signature& s) {
  const Shape& shape = s.in[0].shape;
  return shape.is_ycbcr() && s.in[0].is_dense() && s.out[0].is_dense() &&
         std::max(shape.h, shape.w) < ycbcr_extent_limit && is_reached(s);
}

YcbcrTask task_of(const YcbcrWindow& window, Flip flip, bool streaming) {
  const ChromaUpsampling how = chroma_upsampling(window.in.desc.shape);
  return {.in = window.in,
          .out = window.out,
          .top = window.top,
          .left = window.left,
          .flip = flip,
          .triangle_across = how.across == Upsampling::Triangle,
          .triangle_down = how.down == Upsampling::Triangle,
          .streaming = streaming};
}

bool accepts_normalize(const Normalize& op, const Signature& s) {
  return accepts_images(s) && is_float(op.to);
}

void submit(const Normalize& op, bool streaming, Queue& queue, const View& in, const View& out,
            YcbcrArguments& arguments) {
  for (const YcbcrWindow& window : ycbcr_windows(op, in, out)) {
    arguments.task = task_of(window, op.flip, streaming);
    check(launch_normalize_ycbcr(stream_of(queue), arguments), "launching normalize");
  }
}

void set_rgb_constants(const Normalize& op, YcbcrArguments& arguments) {
  NormalizeArguments all;
  set_constants(op, 3, all);
  std::copy_n(all.a, 3, arguments.a);
  std::copy_n(all.b, 3, arguments.b);
}

/// Prepares a launch that carries the constants in its kernel arguments.
Launch prepare_cached(const Normalize& op, const Signature& s) {
  YcbcrArguments prepared;
  set_rgb_constants(op, prepared);
  return [op, prepared, streaming = outgrows_l2(s)](Queue& queue, std::span<const View> in,
                                                    std::span<const View> out, View) {
    YcbcrArguments arguments = prepared;
    submit(op, streaming, queue, in[0], out[0], arguments);
  };
}

/// Prepares a launch that computes the constants and sends them every time.
Launch prepare_per_call(const Normalize& op, const Signature& s) {
  const auto a = std::make_shared<DeviceArray<float>>(3),
             b = std::make_shared<DeviceArray<float>>(3);
  return [op, streaming = outgrows_l2(s), a, b](Queue& queue, std::span<const View> in,
                                                std::span<const View> out, View) {
    YcbcrArguments arguments;
    {
      const Range range(queue.recorder, RangeKind::Part, constants_range);
      set_rgb_constants(op, arguments);
      a->send(stream_of(queue), arguments.a);
      b->send(stream_of(queue), arguments.b);
    }
    arguments.sent_a = a->data();
    arguments.sent_b = b->data();
    submit(op, streaming, queue, in[0], out[0], arguments);
  };
}

Launch prepare_normalize(const Normalize& op, const Signature& s) {
  return op.constants == Constants::Cached ? prepare_cached(op, s) : prepare_per_call(op, s);
}

bool accepts_to_rgb(const ToRgb&, const Signature& s) { return accepts_images(s); }

Launch prepare_to_rgb(const ToRgb&, const Signature& s) {
  return [streaming = outgrows_l2(s)](Queue& queue, std::span<const View> in,
                                      std::span<const View> out, View) {
    const YcbcrWindow whole{.in = in[0], .out = out[0]};
    check(launch_to_rgb(stream_of(queue), task_of(whole, Flip::None, streaming)),
          "launching to_rgb");
  };
}

}  // namespace

std::span<const Kernel> ycbcr_rows() {
  static const Kernel rows[] = {row<Normalize, accepts_normalize, prepare_normalize>("ycc"),
                                row<ToRgb, accepts_to_rgb, prepare_to_rgb>("vector")};
  return rows;
}

}  // namespace normbench::cuda
