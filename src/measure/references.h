/// The exact values of a case, by the double references of its stages.
#pragma once

#include <span>
#include <vector>

#include "plan/case.h"

namespace normbench {

/// Exact values of a tensor, and how far computed ones may lie from them.
struct Exact {
  Tensor64 values;
  Accuracy accuracy = {};
};

/// Images [first, first + count) of the batch that a case starts from, or some rows of each.
struct ImageRange {
  std::int64_t first = 0, count = 0;
  std::int64_t row = 0, rows = 0;  // [row, row + rows); 0 rows: all there are

  /// The images of a tensor that belong to these, or all of a tensor that is no batch.
  ImageRange of(const TensorDesc& desc, const Case& planned) const;
};

/// What the outputs of `planned` are for these images of an item (counted from 0 in a turn).
/// `inputs` holds what belongs to them of each input. Values that no later stage reads are dropped
/// on the way.
std::vector<Exact> exact_outputs(const Case& planned, std::vector<Exact> inputs,
                                 const ImageRange& images, std::int64_t item);

/// The exact values `wanted` of a case whose inputs are given whole, as a setup's are.
std::vector<Exact> exact_values(const Case& planned, std::vector<Exact> inputs,
                                std::span<const int> wanted);

}  // namespace normbench
