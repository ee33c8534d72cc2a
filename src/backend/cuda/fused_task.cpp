#include "backend/cuda/fused_task.h"

namespace normbench::cuda {

bool goes_to_planes3(const FusedTask& task) {
  const TensorDesc &in = task.in.desc, &out = task.out.desc;
  const std::int64_t plane_bytes = out.shape.h * out.shape.w * size_of(out.dtype);
  return out.layout == Layout::Nchw && out.shape.c == 3 && in.strides.c == 1 && in.strides.w == 3 &&
         plane_bytes % 16 == 0;
}

FusedTask first_plane(const FusedTask& task) {
  FusedTask plane = task;
  plane.in.desc.shape.c = 1;
  plane.out.desc.shape.c = 1;
  return plane;
}

}  // namespace normbench::cuda
