/// Vectorised y = f(x, a[c], b[c]) over contiguous runs, where c is the channel of x.
#pragma once

#include "backend/cpu/walk.h"
#include "core/enums.h"

namespace normbench {

/// Computes one run. `a` and `b` are the two arrays of a Constants2 table. Both begin with channel
/// 0.
using RunFunction = void (*)(const Run& run, const float* a, const float* b);

/// How outputs are stored: through the cache (Normal), or past it (NonTemporal). NonTemporal is for
/// outputs that do not fit in the cache.
enum class Stores { Normal, NonTemporal };

/// Each of these functions returns a kernel for the instruction set in use, or null if there is
/// none for the dtypes. The kernels of sub_function() and div_function() read and write `dtype`.
RunFunction cast_function(DType from, DType to, Stores stores);
RunFunction sub_function(DType dtype);
RunFunction div_function(DType dtype);
/// The kernel of fma_function() computes x * a + b. It is null if both dtypes are integers.
RunFunction fma_function(DType from, DType to, Stores stores);
/// Returns the kernel of fma_function() for the case that exactly one of both dtypes is uint8, and
/// otherwise null. It has a source file of its own, because such a file takes long to compile.
RunFunction fma_function_8bit(DType from, DType to, Stores stores);

/// Computes x * a[c] + b[c] for pixels of three channels. Does nothing and returns false in these
/// cases:
/// - There are not three channels, or a row is shorter than 64 pixels.
/// - The strides are not those of the two layouts between which the function converts.
/// - The function stores to planes past the cache, but the cache lines of the three planes start at
///   different pixels.
using PixelFunction = bool (*)(const PixelRun& run, const float* a, const float* b);

/// Returns the function that converts interleaved pixels of bytes to three planes of floats. It is
/// faster than `fma_function`, for which walk() first copies the pixels into tiles with separate
/// channels. Returns null for other dtypes and for the scalar instruction set.
PixelFunction pixels_function(DType from, DType to, Stores stores);
/// Returns the function that converts three planes to interleaved pixels of bytes. Returns null if
/// `from` is not a float dtype, and for the scalar instruction set.
PixelFunction interleave_function(DType from, Stores stores);

}  // namespace normbench
