#include <algorithm>

#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

bool accepts_resize(const Resize& op, const Signature& s) {
  const Shape &from = s.in[0].shape, &to = s.out[0].shape;
  return accepts_in_order(op, s) && std::max({from.h, from.w, to.h, to.w}) < resize_extent_limit;
}

ResizeArguments arguments_of(const View& in, const View& out) {
  const Shape &from = in.desc.shape, &to = out.desc.shape;
  const bool planar = out.desc.layout == Layout::Nchw;
  return {.dtype = in.desc.dtype,
          .in = in.data,
          .out = out.data,
          .planes = planar ? to.n * to.c : to.n,
          .group = planar ? 1 : to.c,
          .from_height = from.h,
          .from_width = from.w,
          .to_height = to.h,
          .to_width = to.w};
}

Launch prepare_resize(const Resize&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    check(launch_resize(stream_of(queue), arguments_of(in[0], out[0])), "launching resize");
  };
}

}  // namespace

std::span<const Kernel> resize_rows() {
  static const Kernel rows[] = {row<Resize, accepts_resize, prepare_resize>("direct")};
  return rows;
}

}  // namespace normbench::cuda
