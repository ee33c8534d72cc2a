#include "ops/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace normbench {
namespace {

/// The error bound holds for at most this number of taps per axis. An axis that shrinks to 1/32 has
/// 64 taps. Kernels sum a larger number of taps in blocks, so that the error stays within the
/// bound.
constexpr double most_taps = 64;

/// Returns the images with each row resized by `filter`, which has the taps of each output pixel.
/// `of_taps(taps, pixels)` computes one output pixel. `pixels` begins at pixel `taps.first` of the
/// input row.
template <class OfTaps>
Tensor64 resized_rows(const Tensor64& in, const std::vector<Taps>& filter, OfTaps of_taps) {
  Tensor64 out{{in.shape.n, in.shape.c, in.shape.h, std::ssize(filter)}, {}};
  out.values.reserve(static_cast<std::size_t>(out.shape.elements()));
  for (std::size_t row = 0; row < in.values.size(); row += static_cast<std::size_t>(in.shape.w))
    for (const Taps& taps : filter)
      out.values.push_back(
          of_taps(taps, std::span(in.values).subspan(row + static_cast<std::size_t>(taps.first))));
  return out;
}

Tensor64 transposed(const Tensor64& in) {
  const auto [n, c, h, w] = in.shape.extents();
  Tensor64 out{{n, c, w, h}, {}};
  out.values.reserve(in.values.size());
  for (std::int64_t plane = 0; plane < n * c; ++plane)
    for (std::int64_t x = 0; x < w; ++x)
      for (std::int64_t y = 0; y < h; ++y)
        out.values.push_back(in.values[static_cast<std::size_t>((plane * h + y) * w + x)]);
  return out;
}

/// Returns `a` with a larger error: a resize computes two weighted sums in float32, one along each
/// axis, and this adds the errors of both. The order of summation does not matter. A sum of k
/// products is off by at most gamma(k + 1) sum |w| |x| (Higham, eq. 3.5), where sum |w| = 1 and
/// gamma(n) = n u / (1 - n u). In place of sum |w| |x| the bound has `largest`, the largest
/// magnitude of the pixels, because kernels that also compute the weights in float32 may be off by
/// that much.
Estimate weighed_twice(Estimate a, double largest) {
  const double nu = (most_taps + 1) * unit_roundoff(DType::Float32);
  for (int pass = 0; pass < 2; ++pass) a.error += nu / (1 - nu) * (largest + a.error);
  return a;
}

template <class OfTaps>
Tensor64 resized_by(const Tensor64& in, const std::vector<Taps>& rows,
                    const std::vector<Taps>& columns, OfTaps of_taps) {
  const Tensor64 narrow = resized_rows(in, columns, of_taps);
  return transposed(resized_rows(transposed(narrow), rows, of_taps));
}

double weighted_sum(const Taps& taps, std::span<const double> pixels) {
  double sum = 0;
  for (std::size_t k = 0; k < taps.weights.size(); ++k) sum += taps.weights[k] * pixels[k];
  return sum;
}

/// Returns for each output pixel the largest magnitude of the input pixels under its taps.
Tensor64 largest_under(const Tensor64& in, std::int64_t height, std::int64_t width) {
  return resized_by(in, triangle_filter(in.shape.h, height), triangle_filter(in.shape.w, width),
                    [](const Taps& taps, std::span<const double> pixels) {
                      double largest = 0;
                      for (std::size_t k = 0; k < taps.weights.size(); ++k)
                        largest = std::max(largest, std::abs(pixels[k]));
                      return largest;
                    });
}

/// Returns the number of taps of the triangle filter along an axis: 2 if the axis grows, and 2 *
/// from / to if it shrinks.
double taps_between(std::int64_t from, std::int64_t to) {
  return 2 * std::max(1.0, static_cast<double>(from) / static_cast<double>(to));
}

/// Returns the operations of a resize: a multiplication and an addition for each tap. The first
/// pass resizes each input column, and the second pass resizes each row of the result. The returned
/// number is at most 2^60. It could overflow without this limit, because the image between the two
/// passes may be much larger than the input and the output.
std::int64_t resize_flops(const TensorDesc& in, const TensorDesc& out) {
  double flops = 0;
  for (std::int64_t c = 0; c < out.shape.c; ++c) {
    const Shape from = in.shape.plane(c), to = out.shape.plane(c);
    const double rows = 2 * taps_between(from.h, to.h) * static_cast<double>(from.w);
    const double columns = 2 * taps_between(from.w, to.w) * static_cast<double>(to.w);
    flops += (rows + columns) * static_cast<double>(to.n * to.h);
  }
  return std::llround(std::min(0x1p60, flops));
}

/// Returns one channel of an image whose values begin at `values`.
Tensor64 plane_of(const Shape& images, std::int64_t channel, const double* values) {
  Shape shape = images.plane(channel);
  shape.n = 1;
  return {.shape = shape, .values = {values, values + shape.elements()}};
}

/// Returns YCbCr images resized by the triangle filter.
Tensor64 resized_planes(const Tensor64& in, std::int64_t height, std::int64_t width) {
  const Shape& from = in.shape;
  Tensor64 out{{from.n, from.c, height, width, from.format}, {}};
  out.values.reserve(static_cast<std::size_t>(out.shape.elements()));
  const double* values = in.values.data();
  for (std::int64_t number = 0; number < from.n * from.c; ++number) {
    const Shape to = out.shape.plane(number % from.c);
    const Tensor64 plane = plane_of(from, number % from.c, values);
    const Tensor64 small = resized_part(plane, part_of_samples(from.h, height, to.h),
                                        part_of_samples(from.w, width, to.w), to.h, to.w);
    out.values.insert(out.values.end(), small.values.begin(), small.values.end());
    values += plane.shape.elements();
  }
  return out;
}

}  // namespace

Resize Resize::read(Reader& reader) {
  reader.require("size", "[height, width]");
  const auto [height, width] =
      read_pair(reader, "size", 1, "[height, width]").value_or(std::pair{1, 1});
  return {.height = height, .width = width};
}

std::vector<TensorDesc> Resize::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  return one_output(x.dtype, x.layout, {x.shape.n, x.shape.c, height, width, x.shape.format},
                    x.memory);
}

// The result for uint8 is not rounded here. accuracy() accounts for the rounding.
void Resize::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = resized(in[0], height, width, held_to);
}

std::vector<Accuracy> Resize::accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                       std::span<const TensorDesc> out) const {
  const Known& x = in[0];
  const DType to = out[0].dtype;
  const Errors weighed = x.accuracy.errors.moved(x.values.shape, [&](const Tensor64& errors) {
    return resized(errors, height, width, held_to);
  });
  Accuracy found{.low = x.accuracy.low, .high = x.accuracy.high};
  if (!is_float(to)) {
    found.errors = errors_of_resized_bytes(exact[0], weighed);
    return {found};
  }
  const Tensor64 largest = largest_under(x.values, height, width);
  const Rounding rounding = rounding_of(to);
  std::vector<double> errors(exact[0].values.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const Estimate a = weighed_twice({exact[0].values[i], weighed.at(i)}, largest.values[i]);
    errors[i] = to == DType::Float32 ? a.error : stored(a, rounding).error;
  }
  found.errors = std::move(errors);
  return {found};
}

Cost Resize::fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const {
  return {.read_bytes = total_bytes(in),
          .written_bytes = total_bytes(out),
          .flops = resize_flops(in[0], out[0])};
}

std::vector<Resize> Resize::samples(const Shape& shape) {
  return {{.height = (shape.h + 1) / 2, .width = (shape.w + 2) / 3},
          {.height = 2 * shape.h + 1, .width = shape.w + 3}};
}

Tensor64 resized(const Tensor64& in, std::int64_t height, std::int64_t width, ResizeFilter filter) {
  if (in.shape.is_ycbcr()) return resized_planes(in, height, width);
  const auto filter_of = [&](std::int64_t from, std::int64_t to) {
    if (filter == ResizeFilter::Linear) return linear_filter(from, to);
    return filter == ResizeFilter::Box ? box_filter(from, to) : triangle_filter(from, to);
  };
  return resized_by(in, filter_of(in.shape.h, height), filter_of(in.shape.w, width), weighted_sum);
}

Tensor64 resized_part(const Tensor64& in, const AxisPart& rows, const AxisPart& columns,
                      std::int64_t height, std::int64_t width) {
  return resized_by(in, triangle_filter(in.shape.h, height, rows),
                    triangle_filter(in.shape.w, width, columns), weighted_sum);
}

AxisPart part_of_samples(std::int64_t from, std::int64_t to, std::int64_t samples) {
  return {.length =
              static_cast<double>(samples) * static_cast<double>(from) / static_cast<double>(to)};
}

std::vector<double> errors_of_resized_bytes(const Tensor64& exact, const Errors& weighed) {
  std::vector<double> errors;
  errors.reserve(exact.values.size());
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    const Estimate a{exact.values[i], weighed.at(i) + byte_resize_error};
    errors.push_back(byte_error(a, a.value));
  }
  return errors;
}

std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to) {
  return triangle_filter(from, to, {.length = static_cast<double>(from)});
}

std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to, const AxisPart& part) {
  const double scale = part.length / static_cast<double>(to);
  const double reach = std::max(1.0, scale);
  std::vector<Taps> filter(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = part.begin + (static_cast<double>(i) + 0.5) * scale;
    const auto first =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(centre - reach + 0.5)));
    const auto last =
        std::min<std::int64_t>(from, static_cast<std::int64_t>(std::floor(centre + reach + 0.5)));
    Taps& taps = filter[static_cast<std::size_t>(i)];
    taps.first = first;
    for (std::int64_t p = first; p < last; ++p) {
      const double distance = std::abs(static_cast<double>(p) + 0.5 - centre) / reach;
      taps.weights.push_back(std::max(0.0, 1 - distance));
    }
    const double sum = std::accumulate(taps.weights.begin(), taps.weights.end(), 0.0);
    for (double& weight : taps.weights) weight /= sum;
  }
  return filter;
}

std::vector<Taps> box_filter(std::int64_t from, std::int64_t to) {
  if (to >= from) return triangle_filter(from, to);
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Taps> filter(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double begin = static_cast<double>(i) * scale, end = begin + scale;
    Taps& taps = filter[static_cast<std::size_t>(i)];
    taps.first = static_cast<std::int64_t>(begin);
    const auto last = std::min<std::int64_t>(from, static_cast<std::int64_t>(std::ceil(end)));
    for (std::int64_t p = taps.first; p < last; ++p) {
      const auto pixel = static_cast<double>(p);
      taps.weights.push_back((std::min(end, pixel + 1) - std::max(begin, pixel)) / scale);
    }
  }
  return filter;
}

std::vector<Taps> linear_filter(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Taps> filter(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double place = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0,
                                    static_cast<double>(from - 1));
    Taps& taps = filter[static_cast<std::size_t>(i)];
    taps.first = std::min(static_cast<std::int64_t>(place), std::max<std::int64_t>(0, from - 2));
    const double share = place - static_cast<double>(taps.first);
    taps.weights = from == 1 ? std::vector{1.0} : std::vector{1 - share, share};
  }
  return filter;
}

}  // namespace normbench
