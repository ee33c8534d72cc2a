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
#include "ops/ycbcr.h"

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

/// An axis that is resized from `from` to `to` pixels. The input has `samples` samples along it:
/// one for each pixel, or fewer if the samples are chroma.
struct ResizedAxis {
  std::int64_t from, to, samples;
};

/// The input samples `first` to `last` - 1 that one output sample is computed from, along an axis.
/// Their weights form a triangle around `centre` with the half-width `reach`. Lengths are in input
/// samples.
struct Triangle {
  double centre, reach;
  std::int64_t first, last;

  __host__ __device__ static Triangle of(std::int64_t i, const ResizedAxis& axis) {
    const double scale = static_cast<double>(axis.from) / static_cast<double>(axis.to);
    const double centre = (static_cast<double>(i) + 0.5) * scale, reach = scale > 1 ? scale : 1;
    const auto first = static_cast<std::int64_t>(floor(centre - reach + 0.5));
    const auto last = static_cast<std::int64_t>(floor(centre + reach + 0.5));
    return {.centre = centre,
            .reach = reach,
            .first = first > 0 ? first : 0,
            .last = last < axis.samples ? last : axis.samples};
  }

  /// Returns the weight of input sample `p`, not yet divided by the sum of all weights.
  __host__ __device__ double height(std::int64_t p) const {
    return fmax(0.0, reach - fabs(static_cast<double>(p) + 0.5 - centre));
  }
};

/// Resizes images, or one channel of YCbCr images, from `in` to `out`. `from` and `to` are the
/// shapes of the whole images.
struct ResizeReference {
  std::int64_t threads;  // elements of the output
  View in, out;
  Shape from, to;

  __host__ __device__ void operator()(std::int64_t i) const {
    const Position at = position_of(out.desc.shape, i);
    const Triangle rows = Triangle::of(at.y, {from.h, to.h, in.desc.shape.h});
    const Triangle columns = Triangle::of(at.x, {from.w, to.w, in.desc.shape.w});
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
  return {out.desc.elements(), in, out, in.desc.shape, out.desc.shape};
}

/// The chroma samples between which a pixel lies along an axis of `samples` samples. A sample
/// belongs to `step` pixels. The weights are in quarters.
struct ChromaReference {
  std::int64_t near, far;
  int near_weight;

  __host__ __device__ static ChromaReference of(std::int64_t i, std::int64_t samples,
                                                std::int64_t step, bool triangle) {
    const std::int64_t near = i / step;
    if (!triangle) return {near, near, 4};
    const std::int64_t far = i % 2 == 0 ? near - 1 : near + 1;
    return {near, far < 0 ? 0 : far >= samples ? samples - 1 : far, 3};
  }
};

/// The pixels of YCbCr images, as `normalize` and `to_rgb` read them.
struct YcbcrReferenceImages {
  View in;
  Shape samples;              // of Cb, and of Cr
  std::int64_t across, down;  // pixels that a sample belongs to
  bool triangle_across, triangle_down;

  static YcbcrReferenceImages of(const View& in) {
    const Shape& shape = in.desc.shape;
    const ChromaUpsampling how = chroma_upsampling(shape);
    return {in,
            shape.plane(1),
            row_of(shape.format).across,
            row_of(shape.format).down,
            how.across == Upsampling::Triangle,
            how.down == Upsampling::Triangle};
  }

  __host__ __device__ double luma(std::int64_t n, std::int64_t y, std::int64_t x) const {
    return load_element(in, n * in.desc.strides.n + y * in.desc.shape.w + x);
  }
  /// Returns 16 times the Cb (0) or Cr (1) of a pixel.
  __host__ __device__ double chroma(std::int64_t n, int which, std::int64_t y,
                                    std::int64_t x) const {
    const auto rows = ChromaReference::of(y, samples.h, down, triangle_down);
    const auto columns = ChromaReference::of(x, samples.w, across, triangle_across);
    const std::int64_t start =
        n * in.desc.strides.n + in.desc.shape.h * in.desc.shape.w + which * samples.h * samples.w;
    const auto column = [&](std::int64_t c) {
      return rows.near_weight * load_element(in, start + rows.near * samples.w + c) +
             (4 - rows.near_weight) * load_element(in, start + rows.far * samples.w + c);
    };
    return columns.near_weight * column(columns.near) +
           (4 - columns.near_weight) * column(columns.far);
  }
};

/// Computes (rgb * scale - means[c]) / stds[c] for each element of a window of YCbCr images.
struct NormalizeYcbcrReference {
  std::int64_t threads;  // elements of the output
  YcbcrReferenceImages images;
  View out;
  std::int64_t top, left;
  bool is_mirrored, is_upside_down;
  double scale;
  const double* means;
  const double* stds;

  __host__ __device__ void operator()(std::int64_t i) const {
    const Shape& shape = out.desc.shape;
    const Position at = position_of(shape, i);
    const std::int64_t y = top + (is_upside_down ? shape.h - 1 - at.y : at.y),
                       x = left + (is_mirrored ? shape.w - 1 - at.x : at.x);
    const double cb = images.chroma(at.n, 0, y, x) / 16 - 128,
                 cr = images.chroma(at.n, 1, y, x) / 16 - 128;
    const double of_chroma = at.c == 0   ? red_cr * cr
                             : at.c == 1 ? -green_cb * cb - green_cr * cr
                                         : blue_cb * cb;
    const double value = fmin(fmax(images.luma(at.n, y, x) + of_chroma, 0.0), 255.0);
    store(out, at, (value * scale - means[at.c]) / stds[at.c]);
  }
};

inline NormalizeYcbcrReference reference_of(const Normalize& op, const YcbcrWindow& window,
                                            const double* sent) {
  return {.threads = window.out.desc.elements(),
          .images = YcbcrReferenceImages::of(window.in),
          .out = window.out,
          .top = window.top,
          .left = window.left,
          .is_mirrored = op.flip == Flip::Horizontal || op.flip == Flip::Both,
          .is_upside_down = op.flip == Flip::Vertical || op.flip == Flip::Both,
          .scale = op.scale,
          .means = sent,
          .stds = sent + window.out.desc.shape.c};
}

/// Converts each element as libjpeg does, in whole numbers.
struct ToRgbReference {
  std::int64_t threads;  // elements of the output
  YcbcrReferenceImages images;
  View out;

  __host__ __device__ void operator()(std::int64_t i) const {
    const Position at = position_of(out.desc.shape, i);
    const double cb = chroma(at, 0), cr = chroma(at, 1);
    const double of_chroma = at.c == 0 ? floor((jpeg_red_cr * cr + 32768) / 65536)
                             : at.c == 1
                                 ? floor((32768 - jpeg_green_cb * cb - jpeg_green_cr * cr) / 65536)
                                 : floor((jpeg_blue_cb * cb + 32768) / 65536);
    store(out, at, images.luma(at.n, at.y, at.x) + of_chroma);
  }

 private:
  /// Returns the rounded chroma of a pixel, minus 128.
  __host__ __device__ double chroma(const Position& at, int which) const {
    const double sum = images.chroma(at.n, which, at.y, at.x);
    const bool across = images.triangle_across, down = images.triangle_down;
    const bool is_first = across ? at.x % 2 == 0 : at.y % 2 == 0;
    if (across && down) return floor((sum + (is_first ? 8 : 7)) / 16) - 128;
    if (across || down) return floor((sum / 4 + (is_first ? 1 : 2)) / 4) - 128;
    return sum / 16 - 128;
  }
};

inline ToRgbReference reference_of(const ToRgb&, const View& in, const View& out, const double*) {
  return {out.desc.elements(), YcbcrReferenceImages::of(in), out};
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
