/// Pixels moved between strided places, as bytes.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Moves rows of pixels whose elements have `size` bytes: 1, 2 or 4. Does nothing and gives false
/// where vectors cannot: they can move one channel, three or four, in planes or interleaved,
/// mirrored or not; past the cache only if cache lines start at the same pixels of all planes.
bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores);

/// The same through the cache, and whatever the strides.
void gather(const PixelRun& run, std::int64_t size);

}  // namespace normbench
