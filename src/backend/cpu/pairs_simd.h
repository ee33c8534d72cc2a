/// Element-wise functions of two tensors with the same layout in memory.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

using PairFunction = void (*)(const std::byte* a, const std::byte* b, std::byte* out,
                              std::int64_t elements);

/// add_function() returns the function that computes a + b, multiply_function() the function that
/// computes a * b. Both compute in float32. The result is null if `dtype` is not a float dtype.
PairFunction add_function(DType dtype, Stores stores);
PairFunction multiply_function(DType dtype, Stores stores);

}  // namespace normbench
