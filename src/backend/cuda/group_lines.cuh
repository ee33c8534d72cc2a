/// The positions in memory of the elements of one group of a group norm, and how the lanes of a
/// block share the elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "backend/cuda/block.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"
#include "backend/cuda/values.cuh"

namespace normbench::cuda {

/// A vector of `Count` elements that are processed at once. It has 16 bytes, or a single element.
/// If a vector of 16 bytes is not `Aligned`, its elements are loaded and stored one by one.
template <class T, int Count, bool Aligned>
struct Elements {
  static constexpr bool is_wide = Count > 1;
  static_assert(!is_wide || Count * sizeof(T) == 16);
  using Packed = std::conditional_t<is_wide, Pack<T, is_wide ? Count : 16 / sizeof(T)>, T>;

  Packed packed;

  __host__ __device__ float get(int i) const {
    if constexpr (is_wide)
      return to_float(packed.get(i));
    else
      return to_float(packed);
  }
  static __host__ __device__ Elements load(const T* from) {
    Elements loaded;
    if constexpr (!is_wide)
      loaded.packed = *from;
    else if constexpr (Aligned)
      loaded.packed = load_aligned<Count>(from);
    else
      unrolled<Count>([&](int i) { loaded.packed.set(i, from[i]); });
    return loaded;
  }
  /// Stores `value(0)`, `value(1)`, ... as elements. Uses __stcs if the vector is wide and aligned.
  template <class Value>
  static __host__ __device__ void store(T* to, Value value) {
    if constexpr (is_wide && Aligned)
      store_pack<true>(to, pack_of<T, Count>(value));
    else
      unrolled<Count>([&](int i) { to[i] = to_value<T>(value(i)); });
  }

  /// Stores the vector as element `i` of an array in shared memory.
  __host__ __device__ void hold(std::byte* shared, unsigned i) const {
    if constexpr (is_wide)
      reinterpret_cast<uint4*>(shared)[i] =
          make_uint4(packed.word[0], packed.word[1], packed.word[2], packed.word[3]);
    else
      reinterpret_cast<T*>(shared)[i] = packed;
  }
  static __host__ __device__ Elements held(const std::byte* shared, unsigned i) {
    if constexpr (is_wide) {
      const uint4 v = reinterpret_cast<const uint4*>(shared)[i];
      return {{{v.x, v.y, v.z, v.w}}};
    } else {
      return {reinterpret_cast<const T*>(shared)[i]};
    }
  }
};

/// The vectors of a group, arranged in lines:
/// - nchw: a line is the plane of one channel.
/// - nhwc: a line has the vectors of the same channels in all pixels.
/// A line is cut into `pieces` pieces. A warp works on the same piece of `abreast` lines at once.
struct GroupLines {
  std::int64_t image = 0, group = 0;  // elements to the next image, to the next group
  unsigned groups = 1, channels = 1;  // groups of an image; channels of a group
  unsigned lines = 0, length = 0;     // lines of a group; vectors of a line
  unsigned to_line = 0, along = 0;    // elements to the next line; to the next vector of a line
  unsigned abreast = 1;               // lines that a warp works on at once: 1, 2, 4, … or 32
  unsigned pieces = 1;                // pieces of a line
  unsigned parts = 1;                 // parts of a group; one block works on a part

  /// group_of() returns the number of a block's group, counted over all images. first() returns the
  /// first element of that group, channel() its first channel.
  __host__ __device__ unsigned group_of(const Block& block) const { return block.index / parts; }
  __host__ __device__ std::int64_t first(const Block& block) const {
    const unsigned index = group_of(block);
    return index / groups * image + index % groups * group;
  }
  __host__ __device__ std::int64_t channel(const Block& block) const {
    return std::int64_t{group_of(block) % groups} * channels;
  }
  __host__ __device__ std::int64_t at(unsigned line, unsigned i) const {
    return std::int64_t{line} * to_line + std::int64_t{i} * along;
  }
  /// Returns the number of a vector within the group, in the order of memory.
  __host__ __device__ unsigned number(unsigned line, unsigned i) const {
    return along < to_line ? line * length + i : i * lines + line;
  }
};

/// The vectors of a line that one lane works on: `begin`, `begin` + `step`, … below `end`.
struct LaneShare {
  unsigned line, begin, end, step;
  __host__ __device__ bool is_empty() const { return begin >= end; }
};

/// Calls `use(first_line, piece)` for each piece that the warp works on. The warp works on this
/// piece of `abreast` lines at once, of which `first_line` is the first.
template <class Use>
__host__ __device__ void each_piece(const GroupLines& lines, const Block& block, const Warp& warp,
                                    Use use) {
  const unsigned all = (lines.lines + lines.abreast - 1) / lines.abreast * lines.pieces;
  const unsigned first = block.index % lines.parts * block.warps + warp.index;
  for (unsigned i = first; i < all; i += lines.parts * block.warps)
    use(i / lines.pieces * lines.abreast, i % lines.pieces);
}

__host__ __device__ inline LaneShare share_of(const GroupLines& lines, unsigned first_line,
                                              unsigned piece, unsigned lane) {
  const unsigned each = (lines.length + lines.pieces - 1) / lines.pieces;
  const unsigned line = first_line + lane % lines.abreast, begin = piece * each;
  const unsigned end = begin + each < lines.length ? begin + each : lines.length;
  return {.line = line,
          .begin = begin + lane / lines.abreast,
          .end = line < lines.lines ? end : 0,
          .step = warp_lanes / lines.abreast};
}

/// Calls `use(i, load(i))` for each vector i of a share. `load(i)` loads and returns the data of
/// vector i. Makes up to `Depth` calls of `load` before it calls `use` with their results, so that
/// the loads overlap.
template <int Depth, class Load, class Use>
__host__ __device__ void walk_share(const LaneShare& share, Load load, Use use) {
  unsigned i = share.begin;
  for (; i < share.end && share.end - i > (Depth - 1) * share.step; i += Depth * share.step) {
    decltype(load(i)) loaded[Depth];
    unrolled<Depth>([&](int k) { loaded[k] = load(i + static_cast<unsigned>(k) * share.step); });
    unrolled<Depth>([&](int k) { use(i + static_cast<unsigned>(k) * share.step, loaded[k]); });
  }
  for (; i < share.end; i += share.step) use(i, load(i));
}

/// A number for each element of a vector, or one number if all elements are of one channel.
template <int Channels>
struct PerChannel {
  float of[Channels];
  __host__ __device__ float at(int i) const { return of[Channels == 1 ? 0 : i]; }
};
/// Returns the values of the channels from `first` on, or `otherwise` for each channel if `values`
/// is null.
template <int Channels>
__host__ __device__ PerChannel<Channels> channels_from(const float* values, std::int64_t first,
                                                       float otherwise) {
  PerChannel<Channels> all;
  unrolled<Channels>([&](int i) { all.of[i] = values ? values[first + i] : otherwise; });
  return all;
}

/// Returns the lines of the groups, in vectors of `count` elements. The last vector of a line need
/// not be full.
inline GroupLines lines_of(const GroupArguments& a, unsigned count) {
  const auto pixels = static_cast<unsigned>(a.pixels);
  const auto channels = static_cast<unsigned>(a.channels / a.groups);
  const auto vectors = [&](unsigned elements) { return (elements + count - 1) / count; };
  GroupLines lines{.image = a.channels * a.pixels,
                   .groups = static_cast<unsigned>(a.groups),
                   .channels = channels,
                   .pieces = a.plan.pieces,
                   .parts = a.plan.parts};
  if (a.columns) {
    lines.group = channels;
    lines.lines = vectors(channels), lines.length = pixels;
    lines.to_line = count, lines.along = static_cast<unsigned>(a.channels);
    lines.abreast = std::bit_floor(std::min(lines.lines, warp_lanes));
  } else {
    lines.group = std::int64_t{channels} * pixels;
    lines.lines = channels, lines.length = vectors(pixels);
    lines.to_line = pixels, lines.along = count;
  }
  return lines;
}

}  // namespace normbench::cuda
