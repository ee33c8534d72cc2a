/// The references of ops, as bodies of kernels (grid.h). They define what an op means: they compute
/// in double, one element per thread, without optimisation. reference_of() returns the reference of
/// an op. Its argument `sent` points to the op's constants in device memory, or is null if the op
/// has none.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "backend/cuda/rows.h"
#include "backend/cuda/values.cuh"

namespace normbench::cuda {

/// The logical position of an element in a tensor.
struct Position {
  std::int64_t n, c, y, x;
};

/// Returns the position of element `i` in logical NCHW order.
__host__ __device__ inline Position position_of(const Shape& shape, std::int64_t i) {
  return {i / shape.w / shape.h / shape.c, i / shape.w / shape.h % shape.c, i / shape.w % shape.h,
          i % shape.w};
}

__host__ __device__ inline std::int64_t offset_of(const View& view, const Position& at) {
  const Strides& s = view.desc.strides;
  return at.n * s.n + at.c * s.c + at.y * s.h + at.x * s.w;
}

__host__ __device__ inline double load(const View& view, const Position& at) {
  return load_element(view, offset_of(view, at));
}
__host__ __device__ inline void store(const View& view, const Position& at, double value) {
  store_element(view, offset_of(view, at), value);
}

/// Computes (x * stds[c] + means[c]) / scale for each element, rounded once. `means` and `stds`
/// have a value per channel, in device memory.
struct DenormalizeReference {
  std::int64_t threads;  // elements of the output
  View in, out;
  double scale;
  const double* means;
  const double* stds;

  __host__ __device__ void operator()(std::int64_t i) const {
    const Position at = position_of(out.desc.shape, i);
    store(out, at, (load(in, at) * stds[at.c] + means[at.c]) / scale);
  }
};

inline DenormalizeReference reference_of(const Denormalize& op, const View& in, const View& out,
                                         const double* sent) {
  return {out.desc.elements(), in, out, op.scale, sent, sent + out.desc.shape.c};
}

/// Arguments of (x * scale - means[c]) / stds[c], where x is the input element at the same logical
/// position. The result is rounded once to the output's dtype. If `means` is null, the result is x
/// (a cast or a move). `in` and `out` have the same shape and any strides.
struct PointwiseArguments {
  View in, out;
  double scale = 1;
  const double* means = nullptr;  // per channel, in device memory
  const double* stds = nullptr;
};

struct PointwiseReference {
  std::int64_t threads;  // elements of the output
  PointwiseArguments arguments;

  __host__ __device__ void operator()(std::int64_t i) const {
    const auto& [in, out, scale, means, stds] = arguments;
    const Position at = position_of(out.desc.shape, i);
    const double x = load(in, at);
    store(out, at, means == nullptr ? x : (x * scale - means[at.c]) / stds[at.c]);
  }
};

template <class T, class... Ops>
concept OneOf = (std::same_as<T, Ops> || ...);
/// Ops that compute each output element from the input element at the same logical position. For
/// `crop` and `flip`, the input is the view of the window or the mirrored view (Portion::in).
template <class T>
concept Pointwise = OneOf<T, Cast, Sub, Div, Normalize, Copy, Crop, FlipOp, LayoutOp, Concat>;

/// Returns the reference that computes `out`, one portion of the op's output, from `in`. `sent` has
/// all means, then all standard deviations.
template <Pointwise T>
PointwiseReference reference_of(const T& op, const View& in, const View& out, const double* sent) {
  PointwiseArguments arguments{.in = in, .out = out};
  if constexpr (requires { op.scale; }) arguments.scale = op.scale;
  if (sent != nullptr) {
    arguments.means = sent;
    arguments.stds = sent + out.desc.shape.c;
  }
  return {out.desc.elements(), arguments};
}

/// The input pixels `first` to `last` - 1 that one output pixel is computed from, along an axis
/// that is resized from `from` to `to` pixels. Their weights form a triangle around `centre` with
/// the half-width `reach`. Lengths are in input pixels.
struct Triangle {
  double centre, reach;
  std::int64_t first, last;

  __host__ __device__ static Triangle of(std::int64_t i, std::int64_t from, std::int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double centre = (static_cast<double>(i) + 0.5) * scale, reach = scale > 1 ? scale : 1;
    const auto first = static_cast<std::int64_t>(floor(centre - reach + 0.5));
    const auto last = static_cast<std::int64_t>(floor(centre + reach + 0.5));
    return {.centre = centre,
            .reach = reach,
            .first = first > 0 ? first : 0,
            .last = last < from ? last : from};
  }

  /// Returns the weight of input pixel `p`, not yet divided by the sum of all weights.
  __host__ __device__ double height(std::int64_t p) const {
    return fmax(0.0, reach - fabs(static_cast<double>(p) + 0.5 - centre));
  }
};

struct ResizeReference {
  std::int64_t threads;  // elements of the output
  View in, out;

  __host__ __device__ void operator()(std::int64_t i) const {
    const Shape &from = in.desc.shape, &to = out.desc.shape;
    const Position at = position_of(to, i);
    const Triangle rows = Triangle::of(at.y, from.h, to.h);
    const Triangle columns = Triangle::of(at.x, from.w, to.w);
    double sum = 0, weights = 0;
    for (std::int64_t y = rows.first; y < rows.last; ++y)
      for (std::int64_t x = columns.first; x < columns.last; ++x) {
        const double weight = rows.height(y) * columns.height(x);
        sum += weight * load(in, {at.n, at.c, y, x});
        weights += weight;
      }
    store(out, at, sum / weights);
  }
};

inline ResizeReference reference_of(const Resize&, const View& in, const View& out, const double*) {
  return {out.desc.elements(), in, out};
}

/// Sets output byte i to input byte i * `read_bytes` / `threads`, or to 0 if `read_bytes` is 0.
struct StreamReference {
  std::int64_t threads;  // bytes of the output
  const std::byte* in;
  std::int64_t read_bytes;
  std::byte* out;

  __host__ __device__ std::int64_t source(std::int64_t i) const {
    const double share = static_cast<double>(i) / static_cast<double>(threads);
    return static_cast<std::int64_t>(share * static_cast<double>(read_bytes));
  }
  __host__ __device__ void operator()(std::int64_t i) const {
    out[i] = read_bytes == 0 ? std::byte{0} : in[source(i)];
  }
};

inline StreamReference reference_of(const normbench::Stream& op, const View& in, const View& out,
                                    const double*) {
  return {out.desc.bytes(), in.data, op.read_parts == 0 ? 0 : in.desc.bytes(), out.data};
}

}  // namespace normbench::cuda
