/// Computes the statistics of groups of channels, and normalises the groups with these statistics,
/// in layouts nchw and nhwc.
#pragma once

#include <algorithm>

#include "backend/backend.h"
#include "backend/cpu/elementwise.h"

namespace normbench {

/// Sums over one channel of one image: `gamma` sums dy * (x - mean) * rstd, `beta` sums dy.
struct Gradients {
  double gamma = 0, beta = 0;
};

/// The tensors of a group norm, of its backward pass, or of a part of one of the two. A null
/// pointer means that a tensor is absent.
/// - Forward: x [, gamma, beta] -> out, found_mean, found_rstd. Without `out`, only the statistics
///   are computed. Without `found_mean` and `found_rstd`, x is normalised with the given `mean` and
///   `rstd`.
/// - Backward: dy, x [, gamma], mean, rstd [, old_dx] -> out, gradients. Without `mean`, the mean
///   is 0. Without `rstd`, rstd is 1.
struct GroupTensors {
  TensorDesc desc;  // of x, dy and out, which are dense
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

/// normalise_planes() computes the outputs of `tensors` if x is in nchw, normalise_columns() if x
/// is in nhwc, and normalise_groups() in either layout.
void normalise_planes(const GroupTensors& tensors, const Queue& queue, Stores stores);
void normalise_columns(const GroupTensors& tensors, const Queue& queue, Stores stores);
inline void normalise_groups(const GroupTensors& tensors, const Queue& queue, Stores stores) {
  const bool planes = tensors.desc.layout == Layout::Nchw;
  (planes ? normalise_planes : normalise_columns)(tensors, queue, stores);
}

/// For each channel, sums the member `of` of `gradients` over all images of shape `x`, in the order
/// of the images. Adds `old` to the sums if `old` is not null. `gradients` has N * C elements,
/// `old` and `out` have C.
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
