/// The weights of input pixels in output pixels along one axis, as the CPU's resize kernels use
/// them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enums.h"
#include "ops/resize.h"

namespace normbench {

/// The weights of each input pixel in two neighbouring output pixels. From the first input pixel of
/// output k + 1 to the first input pixel of output k + 2, `before` has the weights in k and `after`
/// has the weights in k + 1.
template <class Weight>
struct Shares {
  std::vector<Weight> before, after;

  bool empty() const { return before.empty(); }
};

/// The taps of each output pixel along an axis. The weights [begin, end) of a pixel apply to the
/// input pixels from `first` on. From one output pixel to the next, neither the first nor the last
/// input pixel moves back.
struct Filter {
  struct Pixel {
    std::int64_t first, begin, end;

    /// Returns the end of the input pixels.
    std::int64_t past_last() const { return first + end - begin; }
  };
  std::vector<Pixel> pixels;
  std::vector<float> weights;
  std::int64_t most_taps = 0;
  /// Empty if an input pixel has weights in more than two output pixels, as along an axis that
  /// grows by much, or if there are so many taps that their sum must be split to be exact.
  Shares<float> shares = {};
  /// `shares` as multiples of `unit`. Empty if weighted means of bytes would then be off by more
  /// than `largest_fixed_error`.
  Shares<std::int16_t> fixed = {};
  float unit = 0;
};

/// Together with the float32 sums along the other axis, which are off by at most 0.00099 (gamma(65)
/// times 255, see ops/resize.cpp), this stays below `byte_resize_error`.
constexpr double largest_fixed_error = 0.004;

/// Returns the filter that computes `to` output pixels from `part` of an axis of `from` input
/// pixels, without shares.
Filter make_filter(std::int64_t from, std::int64_t to, const AxisPart& part);

/// Returns the same filter with its shares, and for uint8 with its shares as whole numbers.
Filter make_shared_filter(std::int64_t from, std::int64_t to, const AxisPart& part, DType dtype);

}  // namespace normbench
