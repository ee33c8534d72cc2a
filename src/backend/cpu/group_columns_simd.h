/// Kernels over the columns of a matrix in memory. The columns of an image in nhwc are its
/// channels, or the channels of several pixels side by side.
#pragma once

#include <cstdint>

#include "backend/cpu/elementwise.h"

namespace normbench {

struct ColumnRows {
  std::int64_t rows, columns, stride;  // elements from one row to the next
  const std::byte* in[3] = {};         // x; or dy, x, and old, which may be null
  std::byte* out = nullptr;
};

/// Tables of a value for each column; 64 more are read behind the last.
struct ColumnTables {
  const float *mean, *scale, *shift, *slope;
};

/// Adds each column's sums over the rows. Forward: of x - centre and of its square. Backward: of dy
/// and of dy * (x - centre).
using ColumnSums = void (*)(const ColumnRows& rows, const float* centre, double* first,
                            double* second);
/// Forward: out = (x - mean) * scale + shift. Backward: out = dy * scale + (x - mean) * slope +
/// shift [+ old]. Non-temporal stores want rows of `out` that start at a cache line.
using ColumnMap = void (*)(const ColumnRows& rows, const ColumnTables& tables, Stores stores);

struct ColumnFunctions {
  ColumnSums sums;
  ColumnMap map;
};
ColumnFunctions forward_columns(DType dtype);
ColumnFunctions backward_columns(DType dtype);

}  // namespace normbench
