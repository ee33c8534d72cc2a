/// One way through a tensor for every element-wise kernel, whatever the layouts, crop and flip.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/tensor.h"

namespace normbench {

class Queue;

/// Planes one after the other, of one channel each.
struct Planes {
  std::int64_t left;      // elements of the first, which may begin before the run does
  std::int64_t elements;  // of each other; the last may go on behind the run
  std::int64_t channels;  // after the last of them comes the first again
};

/// A piece of work: `elements` contiguous inputs and as many contiguous outputs. Element i has
/// channel `channel` + i % `period` where channels are interleaved; with a period of 1 the first
/// plane has channel `channel`.
struct Run {
  const std::byte* in;
  std::byte* out;
  std::int64_t elements, channel, period;
  Planes planes;
  const std::byte* ahead = nullptr;  // read soon, as many bytes as `in` has: fetched meanwhile

  /// Goes on to the next plane if this one has ended.
  static void end_plane(Planes& planes, std::int64_t& channel) {
    if (planes.left > 0) return;
    planes.left = planes.elements;
    channel = channel + 1 == planes.channels ? 0 : channel + 1;
  }
};

/// Calls `body(first, count, channel)` for the elements that each plane has of a run, without those
/// before element `begin` of the run.
template <class Body>
void each_plane(const Run& run, std::int64_t begin, const Body& body) {
  Planes planes = run.planes;
  std::int64_t channel = run.channel, at = 0;
  while (at < run.elements) {
    const std::int64_t end = std::min(run.elements, at + planes.left), first = std::max(at, begin);
    if (first < end) body(first, end - first, channel);
    planes.left -= end - at;
    Run::end_plane(planes, channel);
    at = end;
  }
}

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

/// Rows of pixels that go to other places. In the target they lie one after the other.
struct PixelRun {
  PixelSource from;
  PixelTarget to;
  std::int64_t channels, pixels;  // of a row
  std::int64_t rows = 1;
  std::int64_t stride = 0;  // bytes from a row's first pixel to the next one's, in the source
};

using RunBody = std::function<void(const Run&)>;
using PixelBody = std::function<bool(const PixelRun&)>;  // false: nothing was done, now or ever

/// How the pages of an output come from the system where nothing has touched them yet: one by one
/// as stores fault, or many at once ahead of the stores, while what has been zeroed is in the
/// cache.
enum class FirstTouches { Fault, Populate };

/// True if `walk` can go from a part of `in` to `out`: the output is contiguous and a pixel fits
/// the tile.
bool walkable(const TensorDesc& in, const TensorDesc& out);

/// Calls `body` on the queue's team for runs that cover the output once, but not for pixels that
/// `pixels`, if given, did. Inputs that do not lie as the output does are gathered in tiles
/// in the first-level cache. `in` may equal `out` when their descriptions are equal. Neither body
/// may throw.
void walk(const View& in, const View& out, const Queue& queue, const RunBody& body,
          const PixelBody& pixels = nullptr, FirstTouches touches = FirstTouches::Fault);

/// Bytes of an output whose pages are populated together.
constexpr std::int64_t kPopulatedBytes = std::int64_t{256} << 10;

}  // namespace normbench
