/// Element-wise functions of two tensors with the same layout in memory.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

using PairFunction = void (*)(const std::byte* a, const std::byte* b, std::byte* out,
                              std::int64_t elements);

/// Return the function for a + b or a * b in float32, or null if the dtype is not a float.
PairFunction add_function(DType dtype, Stores stores);
PairFunction multiply_function(DType dtype, Stores stores);

}  // namespace normbench
