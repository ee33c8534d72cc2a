/// Runs the bodies of CUDA kernels on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/grid.h"
#include "backend/kernel_testing.h"

namespace normbench::cuda {

/// Runs all threads of `body` one after another.
template <class Body>
void run_body(const Body& body) {
  for (std::int64_t thread = 0; thread < threads_of(body); ++thread) run_thread(body, thread);
}

/// Shapes with odd extents, tiny shapes, and shapes that are larger than one block.
inline const std::vector<Shape> plain_shapes{{1, 1, 1, 1}, {1, 3, 1, 1},  {2, 3, 5, 7},
                                             {1, 4, 2, 3}, {1, 5, 2, 65}, {3, 3, 17, 33}};

inline const std::vector<DType> all_dtypes = [] {
  std::vector<DType> all;
  for (const DTypeRow& dtype : dtype_rows) all.push_back(dtype.value);
  return all;
}();
inline const std::vector<Layout> both_layouts{Layout::Nchw, Layout::Nhwc};

/// Returns one constant per channel: first, first + step, first + 2 * step, and so on.
inline std::vector<double> channel_values(std::int64_t channels, double first, double step) {
  std::vector<double> values;
  for (std::int64_t c = 0; c < channels; ++c)
    values.push_back(first + step * static_cast<double>(c));
  return values;
}

}  // namespace normbench::cuda
