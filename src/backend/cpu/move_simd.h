/// Moves pixels between buffers with different strides, without a conversion.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Moves rows of pixels with elements of `size` bytes (1, 2 or 4) and with one, three or four
/// channels, in planes or interleaved, mirrored or not. Also copies rows whose pixels keep their
/// layout, with any number of channels. Does nothing and returns false in these cases:
/// - The number of channels or the strides are none of the above.
/// - A row that changes its layout has fewer than 64 bytes in each channel, or a row that keeps its
///   layout has fewer than 64 bytes in total.
/// - `stores` go past the cache, but cache lines do not start at the same pixels in all planes.
/// - `stores` go past the cache, and the run has several rows that keep their layout, are shorter
///   than 2 KiB and end within a cache line. Copying one row after the other is faster then.
bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores);

/// move_8bit(), move_16bit() and move_32bit() do the same as move_pixels() for elements of one
/// size. copy_bytes() copies rows that keep their layout. Each pixel of its run is one byte. Each
/// size has a source file of its own, because such a file takes long to compile.
bool move_8bit(const PixelRun& run, Stores stores);
bool move_16bit(const PixelRun& run, Stores stores);
bool move_32bit(const PixelRun& run, Stores stores);
bool copy_bytes(const PixelRun& bytes, Stores stores);

/// Moves the pixels through the cache, with any strides and any number of channels. `size` is 1, 2
/// or 4 bytes.
void gather(const PixelRun& run, std::int64_t size);

}  // namespace normbench
