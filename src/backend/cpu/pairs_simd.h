/// Element-wise functions of two tensors that lie alike in memory.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

using PairFunction = void (*)(const std::byte* a, const std::byte* b, std::byte* out,
                              std::int64_t elements);

/// a + b and a * b in float32, for floats; null for other dtypes.
PairFunction add_function(DType dtype, Stores stores);
PairFunction multiply_function(DType dtype, Stores stores);

}  // namespace normbench
