#include "backend/cpu/rows.h"
#include "backend/cpu/stream_simd.h"
#include "backend/cpu/walk.h"

namespace normbench {
namespace {

View input_view(const Crop& op, const View& in) {
  const auto [top, left] = op.window.origin(in.desc.shape.h, in.desc.shape.w);
  return crop_view(in, top, left, op.window.height, op.window.width);
}
View input_view(const FlipOp& op, const View& in) { return flip_view(in, op.axis); }
View input_view(const LayoutOp&, const View& in) { return in; }

template <class T>
bool accepts(const T&, const Signature& s) {
  return walkable(s.in[0], s.out[0]);
}

template <class T>
Launch prepare(const T& op, const Signature& s) {
  return [op, size = size_of(s.out[0].dtype)](Queue& queue, std::span<const View> in,
                                              std::span<const View> out, View) {
    walk(input_view(op, in[0]), out[0], queue, [size](const Run& run) {
      copy_bytes(run.in, run.out, run.elements * size, Stores::Normal);
    });
  };
}

}  // namespace

std::span<const Kernel> move_rows() {
  static const Kernel rows[] = {reference_row(Crop::name),
                                row<Crop, accepts<Crop>, prepare<Crop>>("blocked"),
                                reference_row(FlipOp::name),
                                row<FlipOp, accepts<FlipOp>, prepare<FlipOp>>("blocked"),
                                reference_row(LayoutOp::name),
                                row<LayoutOp, accepts<LayoutOp>, prepare<LayoutOp>>("blocked")};
  return rows;
}

}  // namespace normbench
