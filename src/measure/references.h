/// Exact values of a case, computed by the double references of its stages.
#pragma once

#include <span>
#include <vector>

#include "plan/case.h"

namespace normbench {

/// The exact values of a tensor, and how far computed values may lie from them.
struct Exact {
  Tensor64 values;
  Accuracy accuracy = {};
};

/// The images [first, first + count) of the batch that a case starts from, or some rows of each.
struct ImageRange {
  std::int64_t first = 0, count = 0;
  std::int64_t row = 0, rows = 0;  // rows [row, row + rows); 0 rows: all rows

  /// Returns which part of a tensor belongs to this range: the same images of a batch, or all of a
  /// tensor that is no batch.
  ImageRange of(const TensorDesc& desc, const Case& planned) const;
};

/// Returns the exact outputs of `planned` for these images of item number `item`, counted from 0 in
/// a turn. `inputs` holds, for each input, the part that belongs to these images. Values that no
/// later stage reads are dropped on the way.
std::vector<Exact> exact_outputs(const Case& planned, std::vector<Exact> inputs,
                                 const ImageRange& images, std::int64_t item);

/// Returns the exact values of `planned` whose numbers are in `wanted`. `inputs` has all images.
/// Used for a setup.
std::vector<Exact> exact_values(const Case& planned, std::vector<Exact> inputs,
                                std::span<const int> wanted);

}  // namespace normbench
