/// Kernels of a group norm in nchw, where a group consists of the planes of some channels. One call
/// normalises a part of a group with the sums from earlier calls, and sums the same part of the
/// next group. So the core loads the next group while it stores the current one past the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/elementwise.h"
#include "backend/cpu/moment_sums.h"

namespace normbench {

/// The division of a group into rows, the units of work. A row is a piece of one plane, or several
/// small planes. Sums are added row by row in the same order for every team size, so that the team
/// size does not change their bits.
struct PlaneRows {
  PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane);

  static constexpr std::int64_t small_row = 512;  // most elements in a row of small planes

  std::int64_t elements() const { return planes * pixels; }
  bool has_small_planes() const { return pieces == 0; }
  std::int64_t rows() const {
    return has_small_planes() ? (elements() + row - 1) / row : planes * pieces;
  }
  /// Returns the number of sums that a backward pass keeps for a group: one per row, or one per
  /// plane if planes are small.
  std::int64_t sums() const { return has_small_planes() ? planes : planes * pieces; }
  /// Returns the first element of a row, counted within the group. For `index` == rows() it returns
  /// the group's number of elements.
  std::int64_t start(std::int64_t index) const {
    if (has_small_planes()) return std::min(elements(), index * row);
    if (pieces == 1) return index * pixels;
    return index / pieces * pixels + index % pieces * row;
  }

  /// Returns how many rows one call of a GroupFunction works on. In a forward pass, the call sums
  /// the distances of all elements of these rows from one common centre.
  std::int64_t block_rows() const;
  std::int64_t blocks() const { return (rows() + block_rows() - 1) / block_rows(); }

  std::int64_t planes, pixels;
  std::int64_t row;     // elements of a row; the last row of a plane may be shorter
  std::int64_t pieces;  // rows of a plane; 0: a row has several planes
};

enum class Pass { Forward, Backward };

/// A group to normalise.
/// - Forward: y = (x - mean) * scale + shift.
/// - Backward: dx = dy * scale + (x - mean) * slope + constant [+ old dx].
struct Normalised {
  const std::byte* in[3] = {};  // forward: x; backward: dy, x, and an old dx or null
  std::byte* out = nullptr;
  float mean = 0, slope = 0, constant = 0;
  const float *scale = nullptr, *shift = nullptr;  // one value per plane
};

/// A group to sum.
/// - Forward: `moments` gets the moments of x.
/// - Backward: each row, or each small plane, has an element in `first` and in `second`. `first`
///   gets the sums of dy, `second` gets the sums of dy * (x - centre).
struct Summed {
  const std::byte* in[2] = {};  // forward: x; backward: dy, x
  float centre = 0;
  MomentSums* moments = nullptr;  // of the rows of one call
  float *first = nullptr, *second = nullptr;
};

/// If `normalised` is not null, normalises its rows [begin, end). If `summed` is not null, sums its
/// rows [begin, end).
using GroupFunction = void (*)(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
                               const Normalised* normalised, const Summed* summed);

/// Returns the function of a pass. There is one for each float dtype, in a source file of its own,
/// because such a file takes long to compile.
GroupFunction group_function_float32(Pass pass, Stores stores);
GroupFunction group_function_float16(Pass pass, Stores stores);
GroupFunction group_function_bfloat16(Pass pass, Stores stores);

}  // namespace normbench
