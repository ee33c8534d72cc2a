/// Group norm's fused kernels by layout, and what they share.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"
#include "ops/group_norm.h"

namespace normbench {

/// Of an image's channel: the sums of dy * (x - mean) * rstd and of dy.
struct Gradients {
  double gamma = 0, beta = 0;
};

/// The data of input `which` of the op's list; null where it has none.
inline const std::byte* data_of(std::span<const View> in, int which) {
  return which < 0 ? nullptr : in[static_cast<std::size_t>(which)].data;
}
inline const float* floats_of(std::span<const View> in, int which) {
  return reinterpret_cast<const float*>(data_of(in, which));
}
inline float* floats_of(const View& out) { return reinterpret_cast<float*>(out.data); }

/// Group norm of dense tensors, nchw and nhwc; without dgamma and dbeta, of which each channel's
/// part of each image, [N, C], goes to `gradients` where that is not null.
void normalise_planes(const GroupNorm& op, const Queue& queue, Stores stores,
                      std::span<const View> in, std::span<const View> out, Gradients* gradients);
void normalise_columns(const GroupNorm& op, const Queue& queue, Stores stores,
                       std::span<const View> in, std::span<const View> out, Gradients* gradients);

}  // namespace normbench
