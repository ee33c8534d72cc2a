/// Moves pixels between buffers with different strides, without a conversion.
#pragma once

#include "backend/cpu/elementwise.h"

namespace normbench {

/// Moves rows of pixels. An element has `size` bytes: 1, 2 or 4. Rows that are not mirrored and
/// keep their layout are copied, with any number of channels. All other rows are rearranged: they
/// are mirrored, with one, three or four channels, or they change between interleaved channels and
/// planes, with three or four. Does nothing and returns false in these cases:
/// - A rearranged row has a number of channels that is not named above, gaps between its pixels, or
///   several planes on both sides.
/// - A copied row has fewer than 64 bytes, or a rearranged row has fewer than 64 bytes per channel.
/// - `stores` go past the cache, but cache lines of the output start at different pixels in
///   different planes, or do not start at pixels.
/// - `stores` go past the cache, and the run has several copied rows that are shorter than 2 KiB
///   and do not consist of whole cache lines. It is then faster to copy one row after the other.
bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores);

/// move_pixels() calls one of these functions for rearranged rows: a `move_rgb` function for three
/// channels, and otherwise a `move` function. There is one of each for the sizes of an element, in
/// several source files, because such a file takes long to compile. copy_bytes() copies rows. Each
/// pixel of its run is one byte.
bool move_rgb_8bit(const PixelRun& run, Stores stores);
bool move_rgb_16bit(const PixelRun& run, Stores stores);
bool move_rgb_32bit(const PixelRun& run, Stores stores);
bool move_8bit(const PixelRun& run, Stores stores);
bool move_16bit(const PixelRun& run, Stores stores);
bool move_32bit(const PixelRun& run, Stores stores);
bool copy_bytes(const PixelRun& bytes, Stores stores);

/// Moves the pixels through the cache, with any strides and any number of channels. `size` is 1, 2
/// or 4 bytes.
void gather(const PixelRun& run, std::int64_t size);

}  // namespace normbench
