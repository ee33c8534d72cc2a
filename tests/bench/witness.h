/// Kernels that share no code with the project's kernels, to compare the project's kernels with. A
/// comparison with limits alone is not enough, because the streams that measure limits use the same
/// loops as the kernels.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/tensor.h"

namespace normbench {

/// The arguments of y = x * a[c] + b[c] on dense planes. A witness computes it on one thread, in
/// AVX-512 with stores that bypass the cache.
struct WitnessCase {
  TensorDesc in, out;
  std::vector<float> a, b;  // one value per channel
};
using Witness = std::function<void(const std::byte* in, std::byte* out)>;

/// Returns three witnesses if the dtypes are uint8 to float32, uint8 to float16, or float32 to
/// float32. They compute the planes in order, in four distant parts, and in six parts that reach
/// the ends of pages at different times. Returns none without AVX-512, for other dtypes, for
/// interleaved tensors, or if a plane is not a multiple of 64 elements.
std::vector<Witness> witnesses(const WitnessCase& what);

}  // namespace normbench
