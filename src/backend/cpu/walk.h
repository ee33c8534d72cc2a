/// Divides a tensor with any layout, crop and flip into runs of contiguous elements, for
/// element-wise kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/tensor.h"

namespace normbench {

class Queue;

/// Planes of one channel each, one after the other in memory.
struct Planes {
  std::int64_t left;      // elements from the start of the run to the end of its first plane
  std::int64_t elements;  // elements of each later plane; the last plane may end after the run
  std::int64_t channels;  // number of channels; channel 0 follows the last one
};

/// A piece of work: `elements` contiguous inputs and as many contiguous outputs. If channels are
/// interleaved, element i has channel `channel` + i % `period`. If `period` is 1, the run consists
/// of planes: its first element has channel `channel`, and `planes` tells where the next plane
/// begins.
struct Run {
  const std::byte* in;
  std::byte* out;
  std::int64_t elements, channel, period;
  Planes planes;
  /// The input of a later run, or null. During this run, the kernel prefetches as many bytes there
  /// as the run reads.
  const std::byte* ahead = nullptr;

  /// Moves to the next plane if the current one has ended.
  static void end_plane(Planes& planes, std::int64_t& channel) {
    if (planes.left > 0) return;
    planes.left = planes.elements;
    channel = channel + 1 == planes.channels ? 0 : channel + 1;
  }
};

/// Calls `body(first, count, channel)` for each plane in a run: elements [first, first + count) of
/// the run belong to `channel`. Leaves out the elements of the run before element `begin`.
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

/// Distances in elements between neighbouring pixels, and between neighbouring channels of a pixel.
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

/// Rows of pixels that are moved to another layout. In the target, each row begins where the
/// previous one ends.
struct PixelRun {
  PixelSource from;
  PixelTarget to;
  std::int64_t channels, pixels;  // channels of a pixel; pixels of a row
  std::int64_t rows = 1;
  std::int64_t stride = 0;  // bytes between the first pixels of neighbouring rows in the source
};

using RunBody = std::function<void(const Run&)>;
using PixelBody = std::function<bool(const PixelRun&)>;  // returns false if it did nothing

/// How the operating system maps the pages of an output that nothing has touched.
/// - Fault: one by one, when a store to the page faults.
/// - Populate: many at once before the stores, which then find the zeroed pages in the cache.
enum class FirstTouches { Fault, Populate };

/// Returns true if walk() can compute `out` from a tensor like `in`, or from a crop or flip of such
/// a tensor. For this, each image of `out` must be contiguous, and a pixel must fit in a tile of
/// walk(). There may be gaps between the images.
bool walkable(const TensorDesc& in, const TensorDesc& out);

/// Calls `body` on the queue's team, for runs that cover the output once.
/// - If `pixels` is not null, it is called first, for rows of at least 64 pixels. `body` gets the
///   shorter rows. If `pixels` returns false, `body` gets the rows of that call, and possibly rows
///   after them.
/// - If the layouts of the input and the output differ, or if the pixels of an input row are not
///   contiguous, `body` gets copies of the input in tiles, which fit in the first-level cache.
/// `in` may equal `out` if their descriptions are equal. `body` and `pixels` must not throw.
void walk(const View& in, const View& out, const Queue& queue, const RunBody& body,
          const PixelBody& pixels = nullptr, FirstTouches touches = FirstTouches::Fault);

/// With FirstTouches::Populate, the pages of this many bytes of an output are mapped at once,
/// before the bytes are stored.
constexpr std::int64_t kPopulatedBytes = std::int64_t{256} << 10;

}  // namespace normbench
