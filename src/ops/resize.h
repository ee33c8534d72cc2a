#pragma once

#include "ops/checks.h"

namespace normbench {

/// How pixels are resized.
/// - Triangle: the filter of the op `resize`.
/// - Box: along an axis that shrinks, the mean of the input pixels that an output pixel covers,
///   weighted by the covered part of each, like OpenCV's INTER_AREA. Along an axis that grows, the
///   triangle filter, like OpenCV's INTER_LINEAR.
/// - Linear: a mean of the two input pixels around the centre of an output pixel, along each axis,
///   also along one that shrinks, like OpenCV's INTER_LINEAR.
enum class ResizeFilter { Triangle, Box, Linear };
constexpr auto words(ResizeFilter) {
  return std::to_array<Word<ResizeFilter>>({{ResizeFilter::Triangle, "triangle"},
                                            {ResizeFilter::Box, "box"},
                                            {ResizeFilter::Linear, "linear"}});
}

/// Resizes each image with a triangle filter. Pixel centres are at half integers. Along an axis
/// that shrinks, the filter is wider, in proportion to the scale, as in PIL and in torchvision with
/// antialias=True. The output has the dtype of the input. A uint8 output is rounded. In a YCbCr
/// format each channel is resized separately. Parameter: size [h, w].
struct Resize {
  static constexpr std::string_view name = "resize";
  static constexpr std::string_view about = "antialiased bilinear resize";
  static constexpr Roles roles{.takes_ycbcr = true};

  std::int64_t height = 0, width = 0;
  // The filter of `reference`. To check a peer (another library), this is the filter of that
  // library.
  ResizeFilter held_to = ResizeFilter::Triangle;

  static Resize read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
  static std::vector<Resize> samples(const Shape& shape);
};

/// Returns the images [n, c, h, w] resized to height x width, in double. YCbCr images are always
/// resized by the triangle filter.
Tensor64 resized(const Tensor64& in, std::int64_t height, std::int64_t width, ResizeFilter filter);

/// The part of an axis of an image that is resized, in pixels. It may start and end within a pixel.
struct AxisPart {
  double begin = 0, length = 0;
};

/// Returns the part of an axis of chroma samples that `samples` output samples cover, in input
/// samples. The images are resized from `from` to `to` pixels along the axis. A sample of the input
/// covers as many pixels as a sample of the output. The last output sample may end beyond the
/// image, and then the part does, too.
AxisPart part_of_samples(std::int64_t from, std::int64_t to, std::int64_t samples);

/// Returns the parts `rows` and `columns` of images [n, c, h, w], resized to height x width by the
/// triangle filter, in double. The filter also uses pixels outside of the parts, so the result is a
/// window of the resized whole images.
Tensor64 resized_part(const Tensor64& in, const AxisPart& rows, const AxisPart& columns,
                      std::int64_t height, std::int64_t width);

/// How far a resized byte may be from its exact value before it is rounded. Between their two
/// passes kernels may round bytes to 16 bits, which is less exact than float32.
constexpr double byte_resize_error = 0.005;

/// Returns bounds on how far images that were resized and stored as uint8 may lie from `exact`.
/// `weighed` bounds the error in each output pixel that comes from errors of the input: it is the
/// sum of the input pixels' error bounds, weighted by the filter.
std::vector<double> errors_of_resized_bytes(const Tensor64& exact, const Errors& weighed);

/// The weights of input pixels [first, first + weights.size()) in an output pixel. Their sum is 1.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};

/// Returns the taps of each of `to` output pixels, computed from `from` input pixels. With `part`,
/// the output pixels cover only that part of the input axis. Pixel centres are at half integers.
/// The half-width of the triangle around the centre of an output pixel is max(1, length / to),
/// where `length` is the length of `part` if it is given, and else `from`. The triangle is cut at
/// the borders, as in PIL's BILINEAR and in torchvision with antialias=True.
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to);
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to, const AxisPart& part);
/// Returns the taps of the box filter (ResizeFilter::Box) for each of `to` output pixels, computed
/// from `from` input pixels.
std::vector<Taps> box_filter(std::int64_t from, std::int64_t to);
/// Returns the taps of ResizeFilter::Linear for each of `to` output pixels, computed from `from`
/// input pixels. The pixel at the border is repeated beyond the border.
std::vector<Taps> linear_filter(std::int64_t from, std::int64_t to);

}  // namespace normbench
