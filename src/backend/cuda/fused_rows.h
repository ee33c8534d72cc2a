/// What the rows of fused kernels have in common.
#pragma once

#include "backend/backend.h"

namespace normbench::cuda {

/// True if a kernel reaches this memory without the link: device and managed.
bool is_on_device(Memory memory);

/// `fewest`, with what lies in host memory counted as bytes over the link.
Cost cost_over_link(const Op& op, const Signature& signature);

/// Bytes of the current device's L2 cache. Throws CudaError.
std::int64_t l2_bytes();

}  // namespace normbench::cuda
