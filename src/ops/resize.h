#pragma once

#include "ops/checks.h"

namespace normbench {

/// Parameter: size [h, w]. Pixel centres are at half integers. When it shrinks, the scale widens
/// the triangle filter (as in PIL and torchvision antialias=True). dtype kept; uint8 is rounded.
struct Resize {
  static constexpr std::string_view name = "resize";
  static constexpr std::string_view about = "antialiased bilinear resize";

  std::int64_t height = 0, width = 0;

  static Resize read(Reader& reader);
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
  Cost fewest(std::span<const TensorDesc> in, std::span<const TensorDesc> out) const;
  static std::vector<Resize> samples(const Shape& shape);
};

/// Triangle: as the op does it. Box: the mean of the input pixels that an output pixel covers,
/// pixels covered in part counting in part; along an axis that grows as triangle. Box is OpenCV's
/// INTER_AREA along an axis that shrinks and INTER_LINEAR along one that grows.
enum class ResizeFilter { Triangle, Box };
constexpr auto words(ResizeFilter) {
  return std::to_array<Word<ResizeFilter>>(
      {{ResizeFilter::Triangle, "triangle"}, {ResizeFilter::Box, "box"}});
}

/// The images [n, c, h, w] at another size, in double.
Tensor64 resized(const Tensor64& in, std::int64_t height, std::int64_t width, ResizeFilter filter);

/// How far images may lie from exact ones that were resized and then stored as uint8. `weighed`:
/// the errors of the pixels they were made of, weighed by the filter.
std::vector<double> errors_of_resized_bytes(const Tensor64& exact, const Errors& weighed);

/// The weights of input pixels [first, first + weights.size()) in one output pixel; their sum is 1.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};

/// The part of an axis that is resized, in pixels and fractions of them.
struct AxisPart {
  double begin = 0, length = 0;
};

/// The taps of each of `to` output pixels, from a part of `from` input pixels (default: all). Pixel
/// centres lie at half integers; the triangle has half-width max(1, length / to) around the
/// output's centre and is cut at the borders: PIL's BILINEAR and torchvision's antialias=True.
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to);
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to, const AxisPart& part);
/// The taps of each of `to` output pixels of the box filter, from all of `from` input pixels.
std::vector<Taps> box_filter(std::int64_t from, std::int64_t to);

}  // namespace normbench
