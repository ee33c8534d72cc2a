/// Kernels that normalise groups of planes: each element by its group's statistics, which are sums
/// over the whole group. A call normalises a part of some groups and meanwhile sums the same part
/// of others, whose memory is on its way while non-temporal stores leave.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/cpu/elementwise.h"
#include "backend/cpu/moment_sums.h"

namespace normbench {

/// Rows that are worked on side by side, a line of each in turn: forward, of one group or of as
/// many groups. Backward, which has two inputs and sums of each row, half as many.
///
/// Of [128, 256, 28, 28] float32 one thread of Zen 4 reaches, forward, 84 % of a copy in huge
/// pages, and in pages of 4 KiB 69 to 86 %, by what else ran in the rounds.
constexpr int kSideBySide = 4;

/// How a group is cut into rows, the units of work: pieces of a plane, or several small planes.
/// Sums are taken in this order whatever the team, so that they have the same bits.
struct PlaneRows {
  /// Of one group at a time, rows are worked on side by side; of kSideBySide groups, a row of each.
  PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane,
            std::int64_t groups_at_once);

  static constexpr std::int64_t small_row = 512;  // elements of small planes, at most

  std::int64_t elements() const { return planes * pixels; }
  bool has_small_planes() const { return pieces == 0; }
  std::int64_t rows() const {
    return has_small_planes() ? (elements() + row - 1) / row : planes * pieces;
  }
  /// Sums that a group has: one for each row, or for each plane where these are small.
  std::int64_t sums() const { return has_small_planes() ? planes : planes * pieces; }
  /// Where a row starts, among the group's elements; for as many as there are: where the last ends.
  std::int64_t start(std::int64_t index) const {
    if (has_small_planes()) return std::min(elements(), index * row);
    if (pieces == 1) return index * pixels;
    return index / pieces * pixels + index % pieces * row;
  }

  /// Rows that are worked on by one call, of which forward sums are taken around one centre.
  std::int64_t block_rows() const;
  /// Elements from what is worked on to what is fetched meanwhile: whole blocks of all groups at
  /// once, and so what is summed next.
  std::int64_t ahead() const;

  std::int64_t planes, pixels;
  std::int64_t groups_at_once;
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

/// Rows [begin, end) of groups to normalise and of others to sum: of one each, or where
/// rows.groups_at_once is kSideBySide, of as many; either may be none. In and out are as far apart
/// for every group. What is `ahead` bytes further is fetched meanwhile.
using GroupFunction = void (*)(const PlaneRows& rows, std::int64_t begin, std::int64_t end,
                               std::span<const Normalised> normalised,
                               std::span<const Summed> summed, std::int64_t ahead);

/// Null where the dtype is not covered.
GroupFunction forward_function(DType dtype, Stores stores);
GroupFunction backward_function(DType dtype, Stores stores);

}  // namespace normbench
