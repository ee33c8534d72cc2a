/// Decodes image files to planes of Y, Cb and Cr.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/images/image.h"

namespace normbench {

/// A plane of a decoded picture. The picture may fill only a part of its first or last row or
/// column, because a sample of chroma can belong to pixels beyond the border.
struct SamplePlane {
  std::int64_t first = 0;  // place of the first sample in YcbcrImage::samples
  std::int64_t height = 0, width = 0, stride = 0;  // samples; stride: from a row to the next
  AxisPart rows = {}, columns = {};                // the part of each axis that the picture fills
};

/// A decoded picture.
struct YcbcrImage {
  std::int64_t height = 0, width = 0;  // pixels; if decoded at reduced size: that or the full size
  std::array<SamplePlane, 3> planes = {};
  std::vector<std::uint8_t> samples = {};
  /// How the file holds its pixels. Rgb if it has no planes, and also if it has planes with a
  /// subsampling that no PixelFormat stands for.
  PixelFormat format = PixelFormat::Rgb;
  std::vector<Remark> remarks = {};  // each remark once
};

/// Returns a plane as an image of one channel. The view does not own the samples.
View view_of(YcbcrImage& image, std::int64_t channel);

/// Decodes an image file into `image` and turns it upright, like decode_image(). The memory of
/// `image`, `memory` and `pixels` is reused.
/// - JPEGs with Y, Cb and Cr: the planes as they are stored, without upsampling.
/// - Gray JPEGs: Y as it is stored, and Cb and Cr of a single sample, 128.
/// - Other files: decoded to `pixels`, and converted to planes of the picture's size (ITU-T T.871,
///   section 7).
/// With `least`, a JPEG may be decoded at a reduced size, as by decode_image(). Then the planes
/// have fewer samples, and a plane of chroma may have as many samples as the plane of Y. Throws
/// std::runtime_error as decode_image() does.
void decode_planes(std::span<const std::uint8_t> bytes, YcbcrImage& image, DecodeMemory& memory,
                   Image& pixels, const LeastSize& least = {});

}  // namespace normbench
