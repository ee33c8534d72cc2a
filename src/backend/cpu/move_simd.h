/// Moves pixels as bytes between buffers with different strides.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Moves rows of pixels with elements of `size` bytes: 1, 2 or 4. Vectors move one, three or four
/// channels, in planes or interleaved, mirrored or not. Past the cache, lines must start at the
/// same pixels in all planes. Does nothing and returns false in any other case.
bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores);

/// move_pixels() for elements of one size, and for bytes that are copied in rows. Each function has
/// its own source file, since it takes long to compile.
bool move_8bit(const PixelRun& run, Stores stores);
bool move_16bit(const PixelRun& run, Stores stores);
bool move_32bit(const PixelRun& run, Stores stores);
bool copy_bytes(const PixelRun& bytes, Stores stores);

/// Moves the pixels through the cache, with any strides.
void gather(const PixelRun& run, std::int64_t size);

}  // namespace normbench
