/// Kernel bodies (grid.h) for the most frequent tasks of fused kernels: dense planes to planes,
/// pixels of three bytes to planes, and three planes of floats to pixels of three bytes. They are
/// written so that memory limits their speed, not the number of instructions:
/// - The host, or a whole block at once, makes the decisions that do not depend on the thread.
/// - A thread does all its loads before its stores.
/// - The loads of a warp are contiguous, and so are its stores.
/// - Only the last block of a plane or an image checks where the data end.
///
/// The table lists the instructions that one warp of a full block (`at.x < whole`) executes on
/// sm_90, the budget that tests/backend/issue_budget.py allows, and the bytes that the warp reads
/// and writes. "two bytes" are float16 and bfloat16.
///                                              instructions  budget  bytes
///   planes, uint8 to float32                             66      90  2,560
///   planes, uint8 to two bytes                          114     140  3,072
///   planes, float32 to float32                           50      75  4,096
///   planes, float32 to two bytes                         58      85  3,072
///   planes, Period 3, uint8 to float32                   83      90  2,560
///   planes, Period 3, uint8 to two bytes                135     140  3,072
///   planes, Period 3, float32 to float32                 67      75  4,096
///   planes, Period 3, float32 to two bytes               75      85  3,072
///   pixels to planes, uint8 to float32                  107     120  3,840
///   pixels to planes, uint8 to two bytes                119     140  2,304
/// For comparison: at 92 % of an H200's memory bandwidth, a multiprocessor moves 16.9 bytes per
/// clock, that is 2,560 bytes in 151 clocks.
///
/// `Streaming` and `Mirrored` are template parameters, because run-time values would slow the inner
/// loop down: a run-time `Streaming` would issue both kinds of store, and a run-time `Mirrored`
/// would take a select instruction for each byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "backend/cuda/grid.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/patterns.cuh"
#include "backend/cuda/walk.h"

namespace normbench::cuda {

/// Applies a function to dense planes and stores dense planes. With `Period` 1 a plane has one
/// channel. With `Period` 3 it has interleaved pixels of three channels. The output may be the
/// input if their elements have the same size.
template <class In, class Out, class Function, int Period, bool Streaming>
struct PlanesToPlanes {
  static constexpr int period = Period;
  static constexpr int count = 16 / static_cast<int>(std::max(sizeof(In), sizeof(Out)));
  static constexpr int depth = 4;  // slots of a thread
  static constexpr bool takes_many_registers = period == 3 && sizeof(In) == 1 && sizeof(Out) == 2;

  Grid grid;              // x: blocks of a plane; y: channels; z: images
  unsigned whole, slots;  // full blocks of a plane; slots of a plane, of `count` elements each
  const In* in;
  Out* out;
  Function function;

  __host__ __device__ void operator()(const Index& at) const {
    function.choose([&](const auto& chosen) {
      const unsigned first = at.x * (depth * threads_per_block) + at.thread;
      const std::int64_t slot = (at.z * grid.y + at.y) * slots + first;
      const In* from = in + slot * count;
      Out* to = out + slot * count;
      const auto constants = constants_of(chosen, at.y, first * count);
      if (at.x < whole) {
        Pack<In, count> loaded[depth];
        unrolled<depth>([&](int u) { loaded[u] = load_aligned<count>(from + u * step); });
        unrolled<depth>([&](int u) { store(to + u * step, loaded[u], constants, u * step); });
        return;
      }
      unrolled<depth>([&](int u) {
        if (first + u * threads_per_block < slots)
          store(to + u * step, load_aligned<count>(from + u * step), constants, u * step);
      });
    });
  }

 private:
  static constexpr int step = count * static_cast<int>(threads_per_block);

  template <class Constant>
  struct Constants {
    Constant of[period];
  };

  /// If `Period` is 1, returns the constants of `channel`. If `Period` is 3, returns the constants
  /// of the elements `first`, `first` + 1 and `first` + 2 of a plane.
  template <class Chosen>
  __host__ __device__ static auto constants_of(const Chosen& chosen, unsigned channel,
                                               unsigned first) {
    using All = Constants<decltype(chosen.at(0))>;
    if constexpr (period == 1) {
      return All{{chosen.at(channel)}};
    } else {
      const auto k0 = chosen.at(0), k1 = chosen.at(1), k2 = chosen.at(2);
      const auto turned = [c = first % 3](auto x, auto y, auto z) {
        return c == 0 ? x : c == 1 ? y : z;
      };
      return All{{turned(k0, k1, k2), turned(k1, k2, k0), turned(k2, k0, k1)}};
    }
  }

  /// Computes and stores `count` elements. The first one is `past` elements after the first element
  /// of the thread.
  template <class Constant>
  __host__ __device__ static void store(Out* to, const Pack<In, count>& x,
                                        const Constants<Constant>& constants, int past) {
    store_pack<Streaming>(to, pack_of<Out, count>([&](int j) {
                            return Function::apply(x.get(j), constants.of[(past + j) % period]);
                          }));
  }
};

/// Applies a function to pixels of three bytes and stores three planes, four pixels at a time. If
/// `Mirrored` is true, each row is read from its end to its start.
template <class Out, class Function, bool Mirrored, bool Streaming>
struct PixelsToPlanes {
  static constexpr int depth = 2;  // groups of four pixels per thread

  Grid grid;               // x: blocks of an image; y: images
  unsigned whole, groups;  // full blocks of an image; groups of four pixels of an image
  unsigned inverse_row;    // 2^32 / (groups of a row), rounded up; 0: an image is one row
  std::int32_t next_row;   // bytes from where reading of a row ends to where the next one begins
  unsigned image, plane;   // elements to the next image of the input; to the next output plane
  const std::uint8_t* in;  // address of the first group
  Out* out;
  Function function;

  __host__ __device__ void operator()(const Index& at) const {
    function.choose([&](const auto& chosen) {
      const unsigned first = at.x * (depth * threads_per_block) + at.thread;
      const std::uint8_t* from = in + std::uint64_t{at.y} * image;
      Out* to = out + (std::uint64_t{at.y * 3} * plane + std::uint64_t{4} * first);
      const decltype(chosen.at(0)) constants[] = {chosen.at(0), chosen.at(1), chosen.at(2)};
      if (at.x < whole) {
        Pack<std::uint8_t, 12> loaded[depth];
        unrolled<depth>([&](int u) { loaded[u] = load(from, first + u * threads_per_block); });
        unrolled<depth>([&](int u) { store(to + u * step, loaded[u], constants); });
        return;
      }
      for (int i = 0; first + i * threads_per_block < groups; ++i)
        store(to + i * step, load(from, first + i * threads_per_block), constants);
    });
  }

 private:
  static constexpr int step = 4 * static_cast<int>(threads_per_block);

  __host__ __device__ Pack<std::uint8_t, 12> load(const std::uint8_t* from, unsigned group) const {
    const auto row = static_cast<std::int32_t>(std::uint64_t{group} * inverse_row >> 32);
    const auto along = static_cast<std::int32_t>(group) * (Mirrored ? -12 : 12);
    return load_aligned<12>(from + (along + row * next_row));
  }
  template <class Constant>
  __host__ __device__ void store(Out* to, const Pack<std::uint8_t, 12>& x,
                                 const Constant (&constants)[3]) const {
    unrolled<3>([&](int c) {
      store_pack<Streaming>(to + std::uint64_t{plane} * c, pack_of<Out, 4>([&](int j) {
                              return Function::apply(x.get(3 * (Mirrored ? 3 - j : j) + c),
                                                     constants[c]);
                            }));
    });
  }
};

/// Applies a function to three planes of floats and stores pixels of three bytes. A thread takes 16
/// bytes of each plane.
template <class In, class Function, bool Streaming>
struct PlanesToPixels {
  static constexpr int count = 16 / static_cast<int>(sizeof(In));  // pixels of a thread
  static constexpr int words = count / 4;                          // words of one store

  Grid grid;       // x: blocks of an image; y: images
  unsigned slots;  // slots of an image; a slot has `count` pixels
  unsigned plane;  // pixels of a plane
  const In* in;
  std::uint8_t* out;
  Function function;

  __host__ __device__ void operator()(const Index& at) const {
    const unsigned slot = at.x * threads_per_block + at.thread;
    if (slot >= slots) return;
    function.choose([&](const auto& chosen) {
      const std::uint64_t image = std::uint64_t{at.y * 3} * plane;
      const In* from = in + (image + slot * count);
      const decltype(chosen.at(0)) constants[] = {chosen.at(0), chosen.at(1), chosen.at(2)};
      Pack<In, count> loaded[3];
      unrolled<3>([&](int c) {
        loaded[c] = load_aligned<count>(from + std::uint64_t{plane} * static_cast<unsigned>(c));
      });
      const auto pixels = pack_of<std::uint8_t, 3 * count>(
          [&](int j) { return Function::apply(loaded[j % 3].get(j / 3), constants[j % 3]); });
      std::uint8_t* to = out + (image + std::uint64_t{slot} * (3 * count));
      unrolled<3>([&](int i) {
        store_words<words, Streaming>(to + 4 * words * i, pixels.word + words * i);
      });
    });
  }
};

/// How many blocks there are if each takes the same number of slots: `all` counts all blocks,
/// `whole` only the full ones.
struct Parts {
  unsigned all, whole;
  static Parts of(std::int64_t slots, std::int64_t each) {
    return {static_cast<unsigned>((slots + each - 1) / each), static_cast<unsigned>(slots / each)};
  }
};

/// Returns the body that does the task on dense planes. Returns std::nullopt if the tensors are not
/// dense planes of whole, aligned slots, or if a count does not fit in its member of the body.
template <class Body, class In, class Out, class Function>
std::optional<Body> planes_to_planes(const FusedTask& task, const Walk& walk,
                                     const Function& function) {
  const TensorDesc &in = task.in.desc, &out = task.out.desc;
  const std::int64_t channels = walk.channel_axis == Walk::axes ? 1 : out.shape.c;
  const std::int64_t slots = walk.elements / Body::count, images = walk.runs / channels;
  const bool fits = in.is_dense() && in.layout == out.layout &&
                    walk.period.divisor == Body::period && walk.elements % Body::count == 0 &&
                    images > 0 && is_aligned(task.in.data, Body::count * sizeof(In)) &&
                    is_aligned(task.out.data, Body::count * sizeof(Out)) &&
                    slots * walk.runs <= std::numeric_limits<std::int32_t>::max() &&
                    (Body::period == 1 ||  // constants_of() numbers elements with 32 bits
                     walk.elements <= std::numeric_limits<std::uint32_t>::max()) &&
                    channels <= most_blocks_across && images <= most_blocks_across;
  if (!fits) return std::nullopt;
  const Parts parts = Parts::of(slots, Body::depth * threads_per_block);
  return Body{.grid = {parts.all, static_cast<unsigned>(channels), static_cast<unsigned>(images)},
              .whole = parts.whole,
              .slots = static_cast<unsigned>(slots),
              .in = reinterpret_cast<const In*>(task.in.data),
              .out = reinterpret_cast<Out*>(task.out.data),
              .function = function};
}

/// Returns the body that turns three dense planes into dense pixels. Returns std::nullopt if the
/// task does anything else, if a plane does not consist of whole, aligned slots, or if a count does
/// not fit in its member of the body.
template <class Body, class In, class Function>
std::optional<Body> planes_to_pixels(const FusedTask& task, const Function& function) {
  const TensorDesc &in = task.in.desc, &out = task.out.desc;
  const Shape& shape = out.shape;
  const std::int64_t area = shape.h * shape.w;
  const bool fits = in.layout == Layout::Nchw && in.is_dense() && out.layout == Layout::Nhwc &&
                    shape.c == 3 && area > 0 && area % Body::count == 0 && shape.n > 0 &&
                    shape.n <= most_blocks_across &&
                    area <= std::numeric_limits<std::int32_t>::max() &&
                    is_aligned(task.in.data, Body::count * sizeof(In)) &&
                    is_aligned(task.out.data, Body::words * 4);
  if (!fits) return std::nullopt;
  const Parts parts = Parts::of(area / Body::count, threads_per_block);
  return Body{.grid = {parts.all, static_cast<unsigned>(shape.n)},
              .slots = static_cast<unsigned>(area / Body::count),
              .plane = static_cast<unsigned>(area),
              .in = reinterpret_cast<const In*>(task.in.data),
              .out = reinterpret_cast<std::uint8_t*>(task.out.data),
              .function = function};
}

/// Returns true if the task turns interleaved pixels of three channels into planes. Rows of the
/// input may be mirrored.
inline bool takes_pixels_apart(const FusedTask& task) {
  const TensorDesc &in = task.in.desc, &out = task.out.desc;
  return out.layout == Layout::Nchw && out.shape.c == 3 && in.strides.c == 1 &&
         (in.strides.w == 3 || in.strides.w == -3);
}

/// Returns the body that turns pixels of three bytes into planes. takes_pixels_apart() must be
/// true. Returns std::nullopt if a row does not consist of whole groups of four pixels at multiples
/// of 4 bytes, or if a count does not fit in its member of the body.
template <class Body, class Out, class Function>
std::optional<Body> pixels_to_planes(const FusedTask& task, bool mirrored,
                                     const Function& function) {
  const Shape& shape = task.out.desc.shape;
  const Strides& from = task.in.desc.strides;
  const std::int64_t area = shape.h * shape.w;
  const bool one_row = shape.h == 1 || from.h == shape.w * from.w;
  const std::int64_t row = (one_row ? area : shape.w) / 4, step = mirrored ? -12 : 12;
  const std::byte* in = task.in.data + (mirrored ? -9 : 0);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t reach = shape.h * (from.h < 0 ? -from.h : from.h) + 3 * area;
  const bool fits = area % 4 == 0 && (one_row || (shape.w % 4 == 0 && from.h % 4 == 0)) &&
                    (shape.n == 1 || (from.n % 4 == 0 && from.n <= most)) && is_aligned(in, 4) &&
                    is_aligned(task.out.data, 4 * sizeof(Out)) && area > 0 && shape.n > 0 &&
                    shape.n <= most_blocks_across && reach <= most &&
                    (one_row || (row > 1 && area / 4 * row < std::int64_t{1} << 32));
  if (!fits) return std::nullopt;
  const Parts parts = Parts::of(area / 4, Body::depth * threads_per_block);
  return Body{
      .grid = {parts.all, static_cast<unsigned>(shape.n)},
      .whole = parts.whole,
      .groups = static_cast<unsigned>(area / 4),
      .inverse_row = one_row ? 0 : static_cast<unsigned>(((std::int64_t{1} << 32) + row - 1) / row),
      .next_row = static_cast<std::int32_t>(from.h - row * step),
      .image = static_cast<unsigned>(from.n),
      .plane = static_cast<unsigned>(area),
      .in = reinterpret_cast<const std::uint8_t*>(in),
      .out = reinterpret_cast<Out*>(task.out.data),
      .function = function};
}

}  // namespace normbench::cuda
