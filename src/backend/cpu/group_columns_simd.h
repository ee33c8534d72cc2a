/// Kernels that sum and normalise the columns of a matrix in memory. In an image in nhwc, a column
/// is a channel. If several pixels share a row, a column is a channel of one of these pixels.
#pragma once

#include <cstdint>

#include "backend/cpu/elementwise.h"

namespace normbench {

struct ColumnRows {
  std::int64_t rows, columns, stride;  // stride: elements from one row to the next
  const std::byte* in[3] = {};         // forward: x; backward: dy, x, and an old dx or null
  std::byte* out = nullptr;
};

/// Tables with a value for each column. In each table, 64 more values must be readable after the
/// last column.
struct ColumnTables {
  const float *mean, *scale, *shift, *slope;
};

/// Sums each column over the rows, and adds the sums to `first` and `second`.
/// - Forward: the sums of x - centre and of (x - centre)^2.
/// - Backward: the sums of dy and of dy * (x - centre).
using ColumnSums = void (*)(const ColumnRows& rows, const float* centre, double* first,
                            double* second);
/// Normalises the rows. Every row of `out` must start at a cache line if `stores` is NonTemporal.
/// - Forward: out = (x - mean) * scale + shift.
/// - Backward: out = dy * scale + (x - mean) * slope + shift [+ old dx].
using ColumnMap = void (*)(const ColumnRows& rows, const ColumnTables& tables, Stores stores);

struct ColumnFunctions {
  ColumnSums sums;
  ColumnMap map;
};
ColumnFunctions forward_columns(DType dtype);
ColumnFunctions backward_columns(DType dtype);

}  // namespace normbench
