/// Vectorised y = f(x, a[c], b[c]) over contiguous runs, for every pair of dtypes.
#pragma once

#include "backend/cpu/walk.h"
#include "core/enums.h"

namespace normbench {

/// Computes one run. `a` and `b` hold the constants from channel 0 on (see constants.h).
using RunFunction = void (*)(const Run& run, const float* a, const float* b);

/// How outputs are stored: through the cache, or past it (non-temporal; for outputs that do not
/// fit).
enum class Stores { Normal, NonTemporal };

/// Return the function for the instruction set in use; null if it does not cover the dtypes.
RunFunction cast_function(DType from, DType to, Stores stores);
RunFunction sub_function(DType dtype);
RunFunction div_function(DType dtype);
RunFunction fma_function(DType from, DType to, Stores stores);  // x * a + b; not for two int dtypes

/// x * a[c] + b[c] of three channels' pixels. Does nothing and gives false where it would have to
/// go past the cache into planes that do not lie alike to cache lines.
using PixelFunction = bool (*)(const PixelRun& run, const float* a, const float* b);

/// Null where nothing is gained over tiles and `fma_function`.
PixelFunction pixels_function(DType from, DType to, Stores stores);
/// The function from three planes to pixels of bytes; null where `from` is no float dtype or
/// nothing is gained.
PixelFunction interleave_function(DType from, Stores stores);

}  // namespace normbench
