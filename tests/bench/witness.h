/// Kernels that share no code with the project's, to compare those with. The limits are no such
/// comparison alone: they have loops in common with the kernels.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/tensor.h"

namespace normbench {

/// y = x * a[c] + b[c] over dense planes on one thread, in AVX-512 with stores past the cache.
struct WitnessCase {
  TensorDesc in, out;
  std::vector<float> a, b;  // of each channel
};
using Witness = std::function<void(const std::byte* in, std::byte* out)>;

/// Plane by plane in order, in four far parts, and in six parts that end their pages at different
/// times: of uint8 to float32 and float16 and of float32 to float32. None where this CPU lacks
/// AVX-512, for other dtypes, interleaved tensors, or planes that are no multiple of 64 elements.
std::vector<Witness> witnesses(const WitnessCase& what);

}  // namespace normbench
