/// Kernels that say what an op means: in double, one element a thread, nothing done for speed.
#pragma once

#include <cuda_runtime_api.h>

#include "core/tensor.h"

namespace normbench::cuda {

/// (x * scale - means[c]) / stds[c] of elements at the same logical position, rounded once to the
/// output's dtype. Without constants x itself: a cast, or a move of a view. `in` and `out` have the
/// same shape and any strides.
struct PointwiseArguments {
  View in, out;
  double scale = 1;
  const double* means = nullptr;  // per channel, in device memory
  const double* stds = nullptr;
};
cudaError_t launch_reference_pointwise(cudaStream_t stream, const PointwiseArguments& arguments);

/// The antialiased bilinear resize of `in` to the extent of `out`; any strides.
cudaError_t launch_reference_resize(cudaStream_t stream, const View& in, const View& out);

/// Byte for byte: the one at the same share of the input, or 0 without `read_bytes`.
cudaError_t launch_reference_stream(cudaStream_t stream, const View& in, std::int64_t read_bytes,
                                    const View& out);

}  // namespace normbench::cuda
