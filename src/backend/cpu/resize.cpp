#include "ops/resize.h"

#include <algorithm>
#include <array>
#include <memory>

#include "backend/cpu/resize_simd.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

/// Returns the geometry of the images, or of one channel of them. In nhwc, a plane is a whole image
/// of interleaved pixels. In nchw, each channel is a plane.
ResizePlanes planes_of(const View& in, const View& out) {
  const bool is_apart = in.desc.layout == Layout::Nchw;
  const auto distance = [&](const Strides& strides, const Shape& shape) {
    return is_apart && shape.c > 1 ? strides.c : strides.n;
  };
  return {.in = in.data,
          .out = out.data,
          .group = is_apart ? 1 : in.desc.shape.c,
          .in_width = in.desc.shape.w,
          .out_height = out.desc.shape.h,
          .out_width = out.desc.shape.w,
          .in_stride = in.desc.strides.h,
          .in_plane = distance(in.desc.strides, in.desc.shape),
          .out_plane = distance(out.desc.strides, out.desc.shape)};
}

/// The filters of a resize.
struct Filters {
  Filter vertical, horizontal;

  Filters(const TensorDesc& in, const TensorDesc& out, const AxisPart& rows,
          const AxisPart& columns)
      : vertical(make_filter(in.shape.h, out.shape.h, rows, in.dtype)),
        horizontal(make_filter(in.shape.w, out.shape.w, columns, in.dtype)) {}
};

/// Resizes `in` to `out` for each portion, with one element of `filters` per portion. The rows of
/// all portions together are split over the team.
void resize_all(std::span<const Portion> portions, std::span<const Filters* const> filters,
                Queue& queue) {
  std::vector<ResizePlanes> planes;
  std::vector<std::int64_t> first_rows{0};
  for (const auto& [in, out] : portions) {
    planes.push_back(planes_of(in, out));
    const Shape& to = out.desc.shape;
    first_rows.push_back(first_rows.back() + to.n * to.c / planes.back().group * to.h);
  }
  const ResizeFunction resize = resize_function(portions[0].in.desc.dtype);
  split(queue, first_rows.back(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const std::int64_t first = std::max(begin, first_rows[i]),
                         last = std::min(end, first_rows[i + 1]);
      if (first < last)
        resize(planes[i], filters[i]->vertical, filters[i]->horizontal, first - first_rows[i],
               last - first_rows[i]);
    }
  });
}

bool accepts(const Resize&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense();
}

AxisPart all_of(std::int64_t pixels) { return {.length = static_cast<double>(pixels)}; }

Launch prepare_separable(const Resize& op, const Signature& s) {
  const Shape &from = s.in[0].shape, &to = s.out[0].shape;
  std::vector<Filters> filters{{s.in[0], s.out[0], all_of(from.h), all_of(from.w)}};
  if (from.is_ycbcr()) {
    TensorDesc in = s.in[0], out = s.out[0];
    in.shape = from.plane(1);
    out.shape = to.plane(1);
    filters.emplace_back(in, out, part_of_samples(from.h, to.h, out.shape.h),
                         part_of_samples(from.w, to.w, out.shape.w));
  }
  return [op, filters = std::make_shared<const std::vector<Filters>>(std::move(filters))](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const Filters *first = &filters->front(), *chroma = &filters->back();
    resize_all(portions_of(op, in, out[0]), std::array{first, chroma, chroma}, queue);
  };
}

}  // namespace

void resize_part(const View& from, const AxisPart& rows, const AxisPart& columns, const View& to,
                 Queue& queue) {
  const Filters filters(from.desc, to.desc, rows, columns);
  resize_all(std::array{Portion{from, to}}, std::array{&filters}, queue);
}

std::span<const Kernel> resize_rows() {
  static const Kernel rows[] = {reference_row(Resize::name),
                                row<Resize, accepts, prepare_separable>("separable")};
  return rows;
}

}  // namespace normbench
