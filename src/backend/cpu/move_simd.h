/// Pixels moved between strided places, as bytes.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Moves rows of pixels whose elements have `size` bytes: 1, 2 or 4. Does nothing and gives false
/// where vectors cannot: they can move one channel, three or four, in planes or interleaved,
/// mirrored or not; past the cache only if cache lines start at the same pixels of all planes.
bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores);

/// The same of elements of one size, and of bytes that are copied in rows: each in a file of its
/// own, which takes compilers long.
bool move_8bit(const PixelRun& run, Stores stores);
bool move_16bit(const PixelRun& run, Stores stores);
bool move_32bit(const PixelRun& run, Stores stores);
bool copy_bytes(const PixelRun& bytes, Stores stores);

/// The same through the cache, and whatever the strides.
void gather(const PixelRun& run, std::int64_t size);

}  // namespace normbench
