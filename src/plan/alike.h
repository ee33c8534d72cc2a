/// Finds the properties in which the outputs of variants differ. Variants are ranked against each
/// other only if their outputs agree in these properties, or if the experiment allows the
/// difference.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/enums.h"
#include "core/tensor.h"

namespace normbench {

/// Returns the properties (dtype, layout, shape, place) in which the outputs of two cases differ,
/// in the order of the enumeration. If the numbers of outputs differ, the shape differs.
std::vector<Difference> differences(std::span<const TensorDesc> a, std::span<const TensorDesc> b);

/// Two cases of a group, by index, that must not be ranked against each other. Their outputs differ
/// in a way that the experiment does not allow ("may_differ").
struct Unlike {
  int a = 0, b = 0;
  std::vector<Difference> differences;  // all differences, allowed or not
};

/// Compares the outputs of each case with those of the first case that has outputs. Returns the
/// first pair with a difference that is not in `allowed`; nothing if there is none. `outputs[i]`
/// has the outputs of case i. Cases without outputs are ignored.
std::optional<Unlike> first_unlike(const std::vector<std::vector<TensorDesc>>& outputs,
                                   const std::vector<Difference>& allowed);

}  // namespace normbench
