/// Computes exact values of a case with the double references of its stages.
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

  /// Returns the part of a tensor that belongs to this range: the same images if the tensor is a
  /// batch, else the whole tensor.
  ImageRange of(const TensorDesc& desc, const Case& planned) const;
};

/// Returns the exact outputs of `planned` for `images`. `inputs` holds, for each input, the part
/// that belongs to `images`. `item`: the number of the item in its turn, from 0.
std::vector<Exact> exact_outputs(const Case& planned, std::vector<Exact> inputs,
                                 const ImageRange& images, std::int64_t item);

/// Returns the exact contents of the elements `wanted` of `planned.values`, for all images.
std::vector<Exact> exact_values(const Case& planned, std::vector<Exact> inputs,
                                std::span<const int> wanted);

}  // namespace normbench
