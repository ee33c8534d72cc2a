#include "ops/resize.h"

#include <algorithm>
#include <memory>

#include "backend/cpu/resize_simd.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

/// Returns the geometry of the images. In nhwc, a plane is a whole image of interleaved pixels. In
/// nchw, each channel is a plane.
ResizePlanes planes_of(const View& in, const View& out) {
  return {.in = in.data,
          .out = out.data,
          .group = in.desc.layout == Layout::Nchw ? 1 : in.desc.shape.c,
          .in_height = in.desc.shape.h,
          .in_width = in.desc.shape.w,
          .out_height = out.desc.shape.h,
          .out_width = out.desc.shape.w};
}

Launch prepare_part(const Signature& s, const AxisPart& rows, const AxisPart& columns) {
  const Shape &from = s.in[0].shape, &to = s.out[0].shape;
  const auto vertical =
      std::make_shared<Filter>(make_shared_filter(from.h, to.h, rows, s.in[0].dtype));
  const auto horizontal = std::make_shared<Filter>(make_filter(from.w, to.w, columns));
  return [=, resize = resize_function(s.in[0].dtype)](Queue& queue, std::span<const View> in,
                                                      std::span<const View> out, View) {
    const ResizePlanes planes = planes_of(in[0], out[0]);
    const std::int64_t count = in[0].desc.shape.n * in[0].desc.shape.c / planes.group;
    split(queue, count * planes.out_height, 1, [&](std::int64_t begin, std::int64_t end) {
      resize(planes, *vertical, *horizontal, begin, end);
    });
  };
}

bool accepts(const Resize&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

Launch prepare_separable(const Resize&, const Signature& s) {
  const Shape& from = s.in[0].shape;
  return prepare_part(s, {.length = static_cast<double>(from.h)},
                      {.length = static_cast<double>(from.w)});
}

}  // namespace

void resize_part(const View& from, const AxisPart& rows, const AxisPart& columns, const View& to,
                 Queue& queue) {
  const Signature signature{.in = {from.desc}, .out = {to.desc}};
  prepare_part(signature, rows, columns)(queue, {&from, 1}, {&to, 1}, {});
}

std::span<const Kernel> resize_rows() {
  static const Kernel rows[] = {reference_row(Resize::name),
                                row<Resize, accepts, prepare_separable>("separable")};
  return rows;
}

}  // namespace normbench
