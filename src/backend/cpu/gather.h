/// Pixels copied between strided places, element size 1, 2 or 4.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normbench {

/// Distances in elements between neighbouring pixels and between the channels of one.
struct PixelStrides {
  std::int64_t pixel, channel;
};
struct PixelSource {
  const std::byte* data;
  PixelStrides strides;
};
struct PixelTarget {
  std::byte* data;
  PixelStrides strides;
};

/// Copies `channels` elements of `size` bytes of each of `pixels` pixels. One channel, three and
/// four, in planes or interleaved, mirrored or not, go through vectors.
void gather(const PixelSource& from, const PixelTarget& to, std::int64_t pixels,
            std::int64_t channels, std::int64_t size);

}  // namespace normbench
