/// The body of a resize.
#pragma once

#include <cstdint>

#include "backend/cuda/divisor.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/values.cuh"

namespace normbench::cuda {

/// The input pixels (taps) that one output pixel is computed from, along an axis that is resized
/// from `from` to `to` pixels. The weight of a tap is proportional to the height, at the tap's
/// centre, of a triangle with its peak at the output pixel's centre. The unit of length is an input
/// pixel divided by 2 * to, so that all lengths are integers:
/// - centre of output pixel i: (2i + 1) * from
/// - centre of input pixel p: (2p + 1) * to
/// - half-width of the triangle (`reach`): 2 * max(from, to)
struct Taps {
  std::int64_t first;  // input pixel of the first tap
  std::int32_t count;
  std::int32_t distance, step;  // from the centre to the first tap; from tap to tap
  std::int32_t reach;
  float scale;  // 1 / (sum of height(k) over all taps)

  __host__ __device__ float weight(std::int32_t k) const {
    return static_cast<float>(height(k)) * scale;
  }
  __host__ __device__ std::int32_t height(std::int32_t k) const {
    const std::int32_t at = distance + k * step;
    return reach - (at < 0 ? -at : at);
  }
};

/// One axis of a resize from `from` to `to` pixels, which must be less than resize_extent_limit.
/// The input has `samples` samples along the axis: one for each pixel, or fewer if the samples are
/// chroma.
struct Axis {
  std::int64_t from, to, samples;
  Divisor step;

  static Axis of(std::int64_t from, std::int64_t to, std::int64_t samples) {
    return {from, to, samples, Divisor::of(2 * to)};
  }

  __host__ __device__ Taps taps(std::int64_t i) const {
    const std::int64_t centre = (2 * i + 1) * from, reach = 2 * (from > to ? from : to);
    const std::int64_t low = centre - reach + to, high = step.split(centre + reach + to).quotient;
    const std::int64_t first = low > 0 ? step.split(low).quotient : 0;
    Taps taps{.first = first,
              .count = static_cast<std::int32_t>((high < samples ? high : samples) - first),
              .distance = static_cast<std::int32_t>((2 * first + 1) * to - centre),
              .step = static_cast<std::int32_t>(2 * to),
              .reach = static_cast<std::int32_t>(reach),
              .scale = 1};
    std::int64_t sum = 0;
    for (std::int32_t k = 0; k < taps.count; ++k) sum += taps.height(k);
    taps.scale = 1 / static_cast<float>(sum);
    return taps;
  }
};

/// Returns term(0) + … + term(count - 1). Sums blocks of 16 terms, and adds the blocks with Kahan's
/// correction, so that for any count the error is at most about 20 roundings.
template <class Term>
__host__ __device__ float sum_of(std::int32_t count, Term term) {
  constexpr std::int32_t block = 16;
  float total = 0, lost = 0;
  for (std::int32_t begin = 0; begin < count; begin += block) {
    const std::int32_t end = count - begin < block ? count : begin + block;
    float part = 0;
    for (std::int32_t k = begin; k < end; ++k) part += term(k);
    const float corrected = part - lost, sum = total + corrected;
    lost = (sum - total) - corrected;
    total = sum;
  }
  return total;
}

/// Computes one output element per thread.
template <class T>
struct ResizeBody {
  std::int64_t threads;
  const T* in;
  T* out;
  Divisor group;  // elements of a pixel
  Axis rows, columns;
  Divisor height, width;             // of the output
  std::int64_t in_plane, out_plane;  // elements from a plane to the next

  __host__ __device__ void operator()(std::int64_t i) const {
    const Quotient pixel = group.split(i);
    const Quotient row = width.split(pixel.quotient), plane = height.split(row.quotient);
    const Taps down = rows.taps(plane.remainder), across = columns.taps(row.remainder);
    const std::int64_t pitch = columns.samples * group.divisor;
    const T* corner = in + plane.quotient * in_plane + down.first * pitch +
                      across.first * group.divisor + pixel.remainder;
    const float sum = sum_of(down.count, [&](std::int32_t y) {
      const T* line = corner + y * pitch;
      return down.weight(y) * sum_of(across.count, [&](std::int32_t x) {
               return across.weight(x) * to_float(line[x * group.divisor]);
             });
    });
    const std::int64_t elements = height.divisor * width.divisor * group.divisor;
    out[plane.quotient * (out_plane - elements) + i] = to_value<T>(sum);
  }
};

/// Calls `use` with the body for the dtype. Returns the result of `use`.
template <class Use>
auto with_resize_body(const ResizeArguments& a, Use use) {
  return with_type(a.dtype, [&]<class T>(std::type_identity<T>) {
    return use(ResizeBody<T>{.threads = a.planes * a.out_height * a.out_width * a.group,
                             .in = static_cast<const T*>(a.in),
                             .out = static_cast<T*>(a.out),
                             .group = Divisor::of(a.group),
                             .rows = Axis::of(a.from_height, a.to_height, a.in_height),
                             .columns = Axis::of(a.from_width, a.to_width, a.in_width),
                             .height = Divisor::of(a.out_height),
                             .width = Divisor::of(a.out_width),
                             .in_plane = a.in_plane,
                             .out_plane = a.out_plane});
  });
}

}  // namespace normbench::cuda
