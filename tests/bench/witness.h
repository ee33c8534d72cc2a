/// Witnesses: kernels that share no code with the project's kernels and are compared with them. A
/// comparison with memory limits alone is not enough, because the streams that measure these limits
/// use the same loops as the project's kernels.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/tensor.h"

namespace normbench {

/// The arguments of y = x * a[c] + b[c] on dense planes. A witness computes y on one thread, with
/// AVX-512 and with stores that bypass the cache.
struct WitnessCase {
  TensorDesc in, out;
  std::vector<float> a, b;  // one value per channel
};
using Witness = std::function<void(const std::byte* in, std::byte* out)>;

/// Returns three witnesses. The first one computes the planes in order. The others compute 4 or 6
/// parts of the tensor in turns, 64 elements of each part at a time. The 6 parts reach the ends of
/// pages at different times.
///
/// Returns an empty list
/// - without AVX-512,
/// - for dtypes other than uint8 to float32, uint8 to float16, and float32 to float32,
/// - for interleaved tensors,
/// - if a plane is not a multiple of 64 elements.
std::vector<Witness> witnesses(const WitnessCase& what);

}  // namespace normbench
