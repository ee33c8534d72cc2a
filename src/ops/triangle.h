/// The filter of an antialiased bilinear resize, one axis at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace normbench {

/// Weights of the input pixels [first, first + weights.size()) in one output pixel; they sum to 1.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};

/// The taps of each of `to` output pixels from `from` input pixels: pixel centres at half integers,
/// a triangle of half-width max(1, from / to) around the output's centre, cut at the borders. The
/// same as PIL's BILINEAR and torchvision's antialias=True.
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to);

}  // namespace normbench
