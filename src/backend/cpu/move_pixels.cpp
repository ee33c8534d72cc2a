#include <hwy/base.h>

#include "backend/cpu/move_simd.h"

namespace normbench {
namespace {

/// Returns true if the pixels of a row, and the channels of a pixel, are contiguous in the source
/// and in the target.
bool is_copy(const PixelRun& run) {
  const PixelStrides f = run.from.strides, t = run.to.strides;
  return f.pixel == run.channels && t.pixel == run.channels &&
         (run.channels == 1 || (f.channel == 1 && t.channel == 1));
}

/// Rows of fewer bytes than this count as short. If short rows do not consist of whole cache lines
/// and are stored past the cache, it is faster to copy them one after the other than several side
/// by side.
constexpr std::int64_t kShortRow = 2048;

/// Copies all rows as bytes, several rows side by side. Does nothing and returns false if it is
/// faster to copy one row after the other, or if copy_bytes() returns false.
bool copy_as_bytes(PixelRun run, std::int64_t size, Stores stores) {
  constexpr std::int64_t kLine = 64;
  run.pixels *= run.channels * size;
  const bool is_short = run.pixels < kShortRow && run.pixels % kLine != 0;
  if (stores != Stores::Normal && run.rows > 1 && is_short) return false;
  return copy_bytes(run, stores);
}

template <class T>
void gather_elements(const PixelRun& run) {
  const PixelStrides f = run.from.strides, t = run.to.strides;
  for (std::int64_t y = 0; y < run.rows; ++y) {
    const T* in = reinterpret_cast<const T*>(run.from.data + y * run.stride);
    T* out = reinterpret_cast<T*>(run.to.data) + y * run.pixels * t.pixel;
    for (std::int64_t c = 0; c < run.channels; ++c)
      for (std::int64_t i = 0; i < run.pixels; ++i)
        out[i * t.pixel + c * t.channel] = in[i * f.pixel + c * f.channel];
  }
}

}  // namespace

bool move_pixels(const PixelRun& run, std::int64_t size, Stores stores) {
  if (is_copy(run)) return copy_as_bytes(run, size, stores);
  const bool rgb = run.channels == 3;
  switch (size) {
    case 1:
      return rgb ? move_rgb_8bit(run, stores) : move_8bit(run, stores);
    case 2:
      return rgb ? move_rgb_16bit(run, stores) : move_16bit(run, stores);
    default:
      return rgb ? move_rgb_32bit(run, stores) : move_32bit(run, stores);
  }
}

void gather(const PixelRun& run, std::int64_t size) {
  if (move_pixels(run, size, Stores::Normal)) return;
  switch (size) {
    case 1:
      return gather_elements<std::uint8_t>(run);
    case 2:
      return gather_elements<std::uint16_t>(run);
    case 4:
      return gather_elements<std::uint32_t>(run);
    default:
      HWY_ABORT("no pixels of %d bytes a channel", static_cast<int>(size));
  }
}

}  // namespace normbench
