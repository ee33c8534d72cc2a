/// Vectorised y = f(x, a[c], b[c]) over contiguous runs, where c is the channel of x.
#pragma once

#include "backend/cpu/walk.h"
#include "core/enums.h"

namespace normbench {

/// Computes one run. `a` and `b` hold the constants from channel 0 on (see constants.h).
using RunFunction = void (*)(const Run& run, const float* a, const float* b);

/// How outputs are stored: through the cache, or past it. Non-temporal stores are for outputs that
/// do not fit in the cache.
enum class Stores { Normal, NonTemporal };

/// Return the function for the instruction set in use; null if there is none for these dtypes. The
/// functions of one dtype read and write that dtype.
RunFunction cast_function(DType from, DType to, Stores stores);
RunFunction sub_function(DType dtype);
RunFunction div_function(DType dtype);
RunFunction fma_function(DType from, DType to, Stores stores);  // x * a + b; not for two int dtypes

/// Computes x * a[c] + b[c] for pixels of three channels. Does nothing and returns false in these
/// cases:
/// - The pixels have other channels or strides, or a row is shorter than 64 pixels.
/// - Stores should go past the cache to planes, but cache lines start at different pixels of the
///   planes.
using PixelFunction = bool (*)(const PixelRun& run, const float* a, const float* b);

/// Returns the function from pixels of bytes to three planes of floats, which is faster than tiles
/// and `fma_function`. Returns null for other dtypes and for the scalar instruction set.
PixelFunction pixels_function(DType from, DType to, Stores stores);
/// Returns the function from three planes to pixels of bytes. Returns null if `from` is not a float
/// dtype, and for the scalar instruction set.
PixelFunction interleave_function(DType from, Stores stores);

}  // namespace normbench
