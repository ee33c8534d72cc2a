/// Which outputs are alike, so that their variants may be ranked against each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/enums.h"
#include "core/tensor.h"

namespace normbench {

/// Returns in what the outputs of two cases differ, in the order of the enumeration. Different
/// numbers of outputs count as different shapes.
std::vector<Difference> differences(std::span<const TensorDesc> a, std::span<const TensorDesc> b);

/// Two cases of a group whose outputs differ in a way that the experiment does not allow
/// ("may_differ"). They must not be ranked against each other.
struct Unlike {
  int a = 0, b = 0;
  std::vector<Difference> differences;  // all of them, allowed or not
};

/// Returns the first case whose outputs are not like those of the first case. `outputs` has the
/// outputs of each case; a case without outputs does not count.
std::optional<Unlike> first_unlike(const std::vector<std::vector<TensorDesc>>& outputs,
                                   const std::vector<Difference>& allowed);

}  // namespace normbench
