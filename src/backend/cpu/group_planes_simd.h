/// Kernels that normalise groups of planes: each element by its group's statistics, which are sums
/// over the whole group. A call normalises a part of one group and meanwhile sums the same part of
/// another, whose memory is on its way while non-temporal stores leave.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/elementwise.h"
#include "backend/cpu/moment_sums.h"

namespace normbench {

/// How a group is cut into rows, the units of work: pieces of a plane, or several small planes.
/// Sums are taken in this order whatever the team, so that they have the same bits.
struct PlaneRows {
  PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane);

  static constexpr std::int64_t small_row = 512;  // elements of small planes, at most

  std::int64_t elements() const { return planes * pixels; }
  bool has_small_planes() const { return pieces == 0; }
  std::int64_t rows() const {
    return has_small_planes() ? (elements() + row - 1) / row : planes * pieces;
  }
  /// Sums that a group has: one for each row, or for each plane where these are small.
  std::int64_t sums() const { return has_small_planes() ? planes : planes * pieces; }
  /// The group's element at which a row starts; for an index behind the last row, where that ends.
  std::int64_t start(std::int64_t index) const {
    if (has_small_planes()) return std::min(elements(), index * row);
    if (pieces == 1) return index * pixels;
    return index / pieces * pixels + index % pieces * row;
  }

  /// How many rows a call works on; their forward sums are taken around one centre.
  std::int64_t block_rows() const;
  std::int64_t blocks() const { return (rows() + block_rows() - 1) / block_rows(); }

  std::int64_t planes, pixels;
  std::int64_t row;     // elements; a plane's last row may be shorter
  std::int64_t pieces;  // rows of a plane; 0: a row has several planes
};

/// A group to normalise. Forward: y = (x - mean) * scale + shift. Backward: dx = dy * scale + (x -
/// mean) * slope + constant [+ old].
struct Normalised {
  const std::byte* in[3] = {};  // x; or dy, x, and old, which may be null
  std::byte* out = nullptr;
  float mean = 0, slope = 0, constant = 0;
  const float *scale = nullptr, *shift = nullptr;  // one for each plane
};

/// A group to sum. Forward: the moments of x. Backward: the sums of dy and of dy * (x - centre), by
/// rows or small planes.
struct Summed {
  const std::byte* in[2] = {};  // x; or dy, x
  float centre = 0;
  MomentSums* moments = nullptr;  // of the block
  float *first = nullptr, *second = nullptr;
};

/// Rows [begin, end), a block of both groups, of which one may be null.
using GroupFunction = void (*)(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
                               const Normalised* normalised, const Summed* summed);

/// Null where the dtype is not covered.
GroupFunction forward_function(DType dtype, Stores stores);
GroupFunction backward_function(DType dtype, Stores stores);

}  // namespace normbench
