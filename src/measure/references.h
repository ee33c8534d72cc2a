/// Computes the exact values of a case: runs the reference of each stage's op in double.
#pragma once

#include <span>
#include <vector>

#include "plan/case.h"

namespace normbench {

/// The exact values of a tensor, and bounds on the errors of computed values.
struct Exact {
  Tensor64 values;
  Accuracy accuracy = {};
};

/// The images [first, first + count) of the batch that a case starts with, or some rows of each of
/// these images.
struct ImageRange {
  std::int64_t first = 0, count = 0;
  std::int64_t row = 0, rows = 0;  // rows [row, row + rows) of each image; rows = 0: all rows

  /// Returns the part of a tensor of the case that belongs to this range: the same images (and
  /// rows) if the tensor has as many images as the batch, otherwise the whole tensor.
  ImageRange of(const TensorDesc& desc, const Case& planned) const;
};

/// Returns the exact outputs of `planned` for `images`. Each element of `inputs` holds the part of
/// one input that belongs to `images`. `item`: the number of the item (iteration) in its turn,
/// counted from 0.
std::vector<Exact> exact_outputs(const Case& planned, std::vector<Exact> inputs,
                                 const ImageRange& images, std::int64_t item);

/// Returns the exact values of some tensors for all images. `wanted` has the indices of these
/// tensors in `planned.values`.
std::vector<Exact> exact_values(const Case& planned, std::vector<Exact> inputs,
                                std::span<const int> wanted);

}  // namespace normbench
