/// Converts YCbCr images to RGB, vectorised: to bytes as libjpeg does, and to normalised floats.
#pragma once

#include <array>
#include <cstdint>

#include "backend/cpu/elementwise.h"
#include "core/tensor.h"

namespace normbench {

/// An RGB image to be computed: the window of a YCbCr image that begins at row `top` and column
/// `left` and has the size of `out`, mirrored by `flip`. Both views have one image. `out` is dense.
struct YcbcrJob {
  View image, out;
  std::int64_t top = 0, left = 0;
  Flip flip = Flip::None;
};

/// The constants of red, green and blue. x * a + b normalises x.
struct RgbConstants {
  std::array<float, 3> a = {1, 1, 1};
  std::array<double, 3> b = {0, 0, 0};
};

/// Computes rows [begin, end) of `job.out`.
using YcbcrFunction = void (*)(const YcbcrJob& job, const RgbConstants& constants,
                               std::int64_t begin, std::int64_t end);

/// Returns the function that normalises to the float dtype `to`. Returns null for uint8.
YcbcrFunction normalize_ycbcr_function(DType to, Stores stores);
/// Returns the function that converts to bytes. It ignores the constants.
YcbcrFunction to_rgb_function(Stores stores);

}  // namespace normbench
