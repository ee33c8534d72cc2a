/// The meaning of YCbCr images: the chroma of each pixel, and its red, green and blue.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "ops/accuracy.h"

namespace normbench {

/// The two chroma samples from which a pixel's chroma is computed along one axis, and their weights
/// in quarters. The pixel belongs to sample `near`.
struct ChromaTaps {
  std::int64_t near = 0, far = 0;
  int near_quarters = 4;

  int far_quarters() const { return 4 - near_quarters; }
};

/// How chroma is upsampled along one axis, as by libjpeg.
/// - Triangle: a pixel has 3/4 of the sample that it belongs to and 1/4 of the neighbour on its own
///   side. The sample at the border is repeated beyond it.
/// - Replicate: a pixel has the sample that it belongs to.
enum class Upsampling { Triangle, Replicate };

/// How the chroma of images of this shape is upsampled along a row and along a column. libjpeg uses
/// the triangle only along an axis with half as many samples as pixels. If a row of chroma has half
/// as many samples as a row of pixels, and at most 2, libjpeg replicates along both axes.
struct ChromaUpsampling {
  Upsampling across = Upsampling::Replicate, down = Upsampling::Replicate;
};
ChromaUpsampling chroma_upsampling(const Shape& shape);

/// Returns the taps of pixel `i` along an axis of `samples` samples. Each sample belongs to `step`
/// pixels.
ChromaTaps chroma_taps(std::int64_t i, std::int64_t samples, int step, Upsampling how);

/// The weights of JFIF's conversion (ITU-T T.871, section 7): R = Y + red_cr (Cr - 128), G = Y -
/// green_cb (Cb - 128) - green_cr (Cr - 128), B = Y + blue_cb (Cb - 128).
constexpr double red_cr = 1.402, green_cb = 0.114 * 1.772 / 0.587, green_cr = 0.299 * 1.402 / 0.587,
                 blue_cb = 1.772;

/// libjpeg's weights for the same conversion, in units of 2^-16.
constexpr int jpeg_red_cr = 91881, jpeg_green_cb = 22554, jpeg_green_cr = 46802,
              jpeg_blue_cb = 116130;

/// Returns YCbCr images as RGB images, in double: chroma is upsampled and converted without
/// rounding. Values below 0 become 0, and values above 255 become 255.
Tensor64 rgb_of(const Tensor64& images);

/// Returns bounds on how far the values of rgb_of() may be off in kernels that compute them in
/// float32. `errors` are bounds on the errors of the YCbCr images, whose shape is `shape`.
Errors errors_of_rgb(const Shape& shape, const Errors& errors);

/// Returns YCbCr images as RGB images with whole values, each computed as by libjpeg. All values of
/// `images` must be whole numbers from 0 to 255. The results are those of
/// libjpeg-turbo 2.1 with its default settings (fancy upsampling, no merged upsampling).
Tensor64 jpeg_rgb_of(const Tensor64& images);

}  // namespace normbench
