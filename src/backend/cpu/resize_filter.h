/// The weights of input pixels in output pixels along one axis, as the CPU's resize kernels use
/// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/enums.h"
#include "ops/resize.h"

namespace normbench {

/// The weights of each input pixel in two neighbouring output pixels. From the first input pixel of
/// output k to the first input pixel of output k + 1, `before` has the weights in k - 1 and `after`
/// has the weights in k.
struct Shares {
  std::vector<float> before, after;

  bool empty() const { return before.empty(); }
};

/// Neighbouring input pixels whose weights in an output pixel, and in the output pixel before it,
/// change in equal steps. If the pixels are numbered `pixels`, ..., 2, 1, the weight of a pixel is
/// a constant plus a multiple of its number.
struct EvenRun {
  struct Weights {
    std::int16_t constant = 0, factor = 0;
  };
  static_assert(sizeof(Weights) == 2 * sizeof(std::int16_t));  // kernels load both at once
  std::int64_t pixels = 0;
  Weights before = {}, after = {};
};

/// A run has at most this number of pixels. Bytes multiplied by the numbers of their pixels then
/// have a sum that fits into 16 bits.
constexpr std::int64_t most_pixels_of_a_run = 15;

/// How a weighted sum of bytes becomes a number of 16 bits: sum / 2^shift - 32768, rounded. With so
/// many bits the number is at most 0.0039 of a byte from the weighted mean.
struct Narrowing {
  int shift;
  float unit;  // how much the byte changes if the narrowed number changes by 1

  /// Returns the number that is added to a sum before it is shifted.
  std::int32_t bias() const {
    return static_cast<std::int32_t>((std::int64_t{1} << shift >> 1) -
                                     (std::int64_t{32768} << shift));
  }
  /// Returns the byte that is narrowed to 0.
  float middle() const { return 32768 * unit; }
};

/// Returns the narrowing for sums of bytes whose whole-number weights add up to `sum`.
Narrowing narrowing_of(std::int64_t sum);

/// The weights of a filter as whole numbers. They are exact: divided by `Pixel::sum`, they are the
/// weights of the op.
struct WholeWeights {
  /// The weights of an output pixel are weights[begin], weights[begin + 1] and so on, for `pairs`
  /// pairs of input pixels. A pair begins at an even input pixel.
  struct Pixel {
    std::int64_t first_pair, begin, sum;
    float unit;  // 1 / sum
    Narrowing narrowing;
  };
  std::vector<Pixel> pixels;
  std::vector<std::int16_t> weights;
  /// All output pixels have the same number of pairs, so that loops over them are predicted. Pairs
  /// with weights of 0 make up the number.
  std::int64_t pairs = 0;
  /// A sum of this many pairs of 16-bit numbers, weighted by any weights of the filter, fits into
  /// 32 bits.
  std::int64_t pairs_per_sum = 0;
  /// The same weights in runs. The runs [first_run[k], first_run[k + 1]) go from the first input
  /// pixel of output k to the first input pixel of output k + 1. Empty if `Filter::shares` is
  /// empty.
  std::vector<EvenRun> runs = {};
  std::vector<std::size_t> first_run = {};

  bool empty() const { return pixels.empty(); }
  /// Returns the runs of an output pixel. There are none if there is no such output pixel.
  std::span<const EvenRun> runs_of(std::int64_t output) const {
    const auto k = static_cast<std::size_t>(output);
    if (k + 1 >= first_run.size()) return {};
    return std::span(runs).subspan(first_run[k], first_run[k + 1] - first_run[k]);
  }
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
  Shares shares = {};
  /// Empty if the dtype is not uint8, if no unit makes all weights whole numbers that fit into 16
  /// bits, or if sums of weighted bytes may not fit into 32 bits.
  WholeWeights whole = {};

  /// Returns the first input pixel of an output pixel. Returns the end of all input pixels if there
  /// is no such output pixel.
  std::int64_t first_of(std::int64_t output) const {
    return output < static_cast<std::int64_t>(pixels.size())
               ? pixels[static_cast<std::size_t>(output)].first
               : pixels.back().past_last();
  }
};

/// Returns the filter that resizes `part` of an axis to `to` output pixels. The whole axis has
/// `from` input pixels.
Filter make_filter(std::int64_t from, std::int64_t to, const AxisPart& part, DType dtype);

}  // namespace normbench
