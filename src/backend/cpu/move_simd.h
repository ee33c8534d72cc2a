/// Pixels moved between strided places, as bytes.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Moves rows of pixels whose elements have `size` bytes: 1, 2 or 4. Does nothing and gives false
/// where vectors cannot: they can move one channel, three or four, in planes or interleaved,
/// mirrored or not; past the cache only if cache lines start at the same pixels of all planes.
bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores);

/// move_pixels for elements of one size, and for bytes that are copied in rows. Each has a file of
/// its own, since it takes long to compile.
bool move_8bit(const PixelRun& run, Stores stores);
bool move_16bit(const PixelRun& run, Stores stores);
bool move_32bit(const PixelRun& run, Stores stores);
bool copy_bytes(const PixelRun& bytes, Stores stores);

/// Moves the pixels through the cache, whatever their strides are.
void gather(const PixelRun& run, std::int64_t size);

}  // namespace normbench
