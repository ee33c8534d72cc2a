#pragma once

#include "ops/checks.h"

namespace normbench {

/// Parameter: size [h, w]. Pixel centres at half integers; when it shrinks, the triangle filter is
/// widened by the scale (as PIL and torchvision antialias=True do). dtype kept; uint8 is rounded.
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

/// Triangle: the op's, as above. Box: the mean of the input pixels that an output pixel covers, in
/// parts where it covers parts of them; when it grows, as triangle. The same as OpenCV's INTER_AREA
/// along an axis that shrinks and INTER_LINEAR along one that grows.
enum class ResizeFilter { Triangle, Box };
constexpr auto words(ResizeFilter) {
  return std::to_array<Word<ResizeFilter>>(
      {{ResizeFilter::Triangle, "triangle"}, {ResizeFilter::Box, "box"}});
}

/// Images [n, c, h, w] in another size, in double.
Tensor64 resized(const Tensor64& in, std::int64_t height, std::int64_t width, ResizeFilter filter);

/// How far images may lie from exact ones that were resized and then stored as uint8. `weighed`:
/// the errors of what they were made of, with the filter's weights.
std::vector<double> errors_of_resized_bytes(const Tensor64& exact, const Errors& weighed);

/// Weights of the input pixels [first, first + weights.size()) in one output pixel; they sum to 1.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};

/// The part of an axis that is resized, in pixels and fractions of them.
struct AxisPart {
  double begin = 0, length = 0;
};

/// The taps of each of `to` output pixels from a part of `from` input pixels, by default all: pixel
/// centres at half integers, a triangle of half-width max(1, length / to) around the output's
/// centre, cut at the borders. The same as PIL's BILINEAR and torchvision's antialias=True.
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to);
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to, const AxisPart& part);
/// The same of all input pixels for a box.
std::vector<Taps> box_filter(std::int64_t from, std::int64_t to);

}  // namespace normbench
