#include <algorithm>

#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

bool accepts_resize(const Resize& op, const Signature& s) {
  const Shape &from = s.in[0].shape, &to = s.out[0].shape;
  return accepts_in_order(op, s) && std::max({from.h, from.w, to.h, to.w}) < resize_extent_limit;
}

/// Returns the arguments for a resize of `in` to `out`, which are images or one channel of images.
/// `from` and `to` are the shapes of the whole images.
ResizeArguments arguments_of(const View& in, const View& out, const Shape& from, const Shape& to) {
  const bool planar = out.desc.layout == Layout::Nchw, joined = planar && out.desc.shape.c > 1;
  const auto distance = [&](const Strides& strides) { return joined ? strides.c : strides.n; };
  return {.dtype = in.desc.dtype,
          .in = in.data,
          .out = out.data,
          .planes = planar ? to.n * out.desc.shape.c : to.n,
          .group = planar ? 1 : to.c,
          .from_height = from.h,
          .from_width = from.w,
          .to_height = to.h,
          .to_width = to.w,
          .in_height = in.desc.shape.h,
          .in_width = in.desc.shape.w,
          .out_height = out.desc.shape.h,
          .out_width = out.desc.shape.w,
          .in_plane = distance(in.desc.strides),
          .out_plane = distance(out.desc.strides)};
}

Launch prepare_resize(const Resize& op, const Signature&) {
  return [op](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const Shape &from = in[0].desc.shape, &to = out[0].desc.shape;
    for (const Portion& portion : portions_of(op, in, out[0]))
      check(launch_resize(stream_of(queue), arguments_of(portion.in, portion.out, from, to)),
            "launching resize");
  };
}

}  // namespace

std::span<const Kernel> resize_rows() {
  static const Kernel rows[] = {row<Resize, accepts_resize, prepare_resize>("direct")};
  return rows;
}

}  // namespace normbench::cuda
