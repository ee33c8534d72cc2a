#include "backend/cuda/move.h"

#include "backend/cuda/fused_ops.h"
#include "backend/cuda/fused_rows.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

constexpr std::int64_t kMostChannels = std::int64_t{1} << 30;  // sums of two fit 32 bits

template <class T>
bool accepts(const T&, const Signature& s) {
  return s.out[0].is_dense() && s.out[0].shape.c <= kMostChannels &&
         s.in[0].dtype == s.out[0].dtype && reaches(Place::Cuda, s.in[0].memory) &&
         reaches(Place::Cuda, s.out[0].memory);
}

template <class T>
Launch prepare(const T& op, const Signature& s) {
  const bool streaming = s.out[0].bytes() > l2_bytes();
  return [op, streaming](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    FusedTask task = task_of(op, in[0], out[0]);
    task.streaming = streaming;
    check(launch_move(stream_of(queue), task), "launching a move");
  };
}

template <class T>
Kernel vector_row() {
  Kernel kernel = row<T, accepts<T>, prepare<T>>("vector");
  kernel.cost = &cost_over_link;
  return kernel;
}

}  // namespace

std::span<const Kernel> move_rows() {
  static const Kernel rows[] = {reference_row(Crop::name),     vector_row<Crop>(),
                                reference_row(FlipOp::name),   vector_row<FlipOp>(),
                                reference_row(LayoutOp::name), vector_row<LayoutOp>()};
  return rows;
}

}  // namespace normbench::cuda
