/// Statistics of groups and what is normalised by them, by layout.
#pragma once

#include <algorithm>

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"

namespace normbench {

/// The sums of dy * (x - mean) * rstd and of dy over a channel of an image.
struct Gradients {
  double gamma = 0, beta = 0;
};

/// A group norm, its gradient, or a part of one of them: what is null is left out.
/// Forward is x [, gamma, beta] -> out, found_mean, found_rstd: without `out` only moments, without
/// found ones by `mean` and `rstd`. Backward is dy, x [, gamma], mean, rstd [, old_dx] -> out,
/// gradients: without `mean` it is 0, and without `rstd` 1.
struct GroupTensors {
  TensorDesc desc;  // of x, dy and out: dense
  std::int64_t groups = 1;
  double eps = 0;
  const std::byte *x = nullptr, *dy = nullptr, *old_dx = nullptr;
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *rstd = nullptr;
  std::byte* out = nullptr;
  float *found_mean = nullptr, *found_rstd = nullptr;
  Gradients* gradients = nullptr;  // [N, C]

  bool forward() const { return dy == nullptr; }
  bool sums() const { return !forward() || found_mean != nullptr; }
  bool normalises() const { return out != nullptr; }
};

/// normalise_planes is for x in nchw, normalise_columns for x in nhwc.
void normalise_planes(const GroupTensors& tensors, const Queue& queue, Stores stores);
void normalise_columns(const GroupTensors& tensors, const Queue& queue, Stores stores);
inline void normalise_groups(const GroupTensors& tensors, const Queue& queue, Stores stores) {
  const bool planes = tensors.desc.layout == Layout::Nchw;
  (planes ? normalise_planes : normalise_columns)(tensors, queue, stores);
}

/// Each channel's sum over the images, in their order: of `of` a member of Gradients, plus `old`
/// where that is not null.
void sum_images(const Shape& x, const Gradients* gradients, double Gradients::*of, const float* old,
                float* out);

inline bool all_dense(const Signature& s) {
  return std::ranges::all_of(s.in, &TensorDesc::is_dense) &&
         std::ranges::all_of(s.out, &TensorDesc::is_dense);
}
inline const float* floats_of(const View& view) {
  return reinterpret_cast<const float*>(view.data);
}

}  // namespace normbench
