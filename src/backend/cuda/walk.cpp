#include "backend/cuda/walk.h"

#include <algorithm>
#include <array>
#include <vector>

namespace normbench::cuda {
namespace {

/// An axis, with its strides in the input and in the output.
struct Extent {
  std::int64_t extent, in, out;
  bool is_channel;
};

/// Returns the axes longer than 1 in the output's order, the outermost first.
std::vector<Extent> extents_of(const TensorDesc& in, const TensorDesc& out, bool alike) {
  const Shape& s = out.shape;
  const Strides &i = in.strides, &o = out.strides;
  const Extent n{s.n, i.n, o.n, false}, c{s.c, i.c, o.c, !alike}, h{s.h, i.h, o.h, false},
      w{s.w, i.w, o.w, false};
  const bool planes = out.layout == Layout::Nchw;
  std::vector<Extent> extents;
  for (const Extent& one : planes ? std::array{n, c, h, w} : std::array{n, h, w, c})
    if (one.extent > 1) extents.push_back(one);
  return extents;
}

/// Joins neighbouring axes that step through both tensors like one longer axis. An axis with
/// `is_channel` stays separate.
std::vector<Extent> joined(const std::vector<Extent>& extents) {
  std::vector<Extent> result;
  for (const Extent& inner : extents) {
    const bool follows = !result.empty() && !inner.is_channel && !result.back().is_channel &&
                         result.back().in == inner.extent * inner.in &&
                         result.back().out == inner.extent * inner.out;
    if (follows)
      result.back() = {result.back().extent * inner.extent, inner.in, inner.out, false};
    else
      result.push_back(inner);
  }
  return result;
}

/// Removes the innermost axis and returns it.
Extent pop(std::vector<Extent>& extents) {
  const Extent last = extents.back();
  extents.pop_back();
  return last;
}

/// Returns true if the innermost axis is the channel axis of interleaved pixels and has not been
/// joined with another axis.
bool ends_in_pixels(const std::vector<Extent>& extents, const TensorDesc& out) {
  return !extents.empty() && out.layout == Layout::Nhwc && out.shape.c > 1 &&
         extents.back().out == 1 && extents.back().extent == out.shape.c;
}

constexpr std::uint32_t kWarpBits = 5;

/// The address of a slot is a multiple of `slot_bytes`, so the address of the first slot of a run
/// may be lower than the address of the run. Returns the largest possible difference of these two
/// addresses in elements. `address`: address of the output; `size`: bytes of an element.
std::int64_t largest_phase(const Walk& walk, std::uintptr_t address, std::int64_t size) {
  const std::int64_t elements = slot_bytes / size;
  const bool same = std::ranges::all_of(walk.outer, [&](const Walk::Axis& axis) {
    return axis.extent.divisor == 1 || axis.out % elements == 0;
  });
  return same ? static_cast<std::int64_t>(address % slot_bytes) / size : elements - 1;
}

}  // namespace

Walk make_walk(const TensorDesc& in, const TensorDesc& out, bool alike) {
  Walk walk;
  if (out.elements() == 0) {
    walk.runs = 0;
    return walk;
  }
  auto extents = joined(extents_of(in, out, alike));
  if (ends_in_pixels(extents, out)) {
    const Extent channels = pop(extents);
    walk.period = Divisor::of(channels.extent);
    walk.channel = channels.in;
    walk.pixel = channels.extent;
  }
  const std::int64_t step = walk.period.divisor;
  if (!extents.empty() && !extents.back().is_channel && extents.back().out == step) {
    const Extent run = pop(extents);
    walk.elements = run.extent;
    walk.pixel = run.in;
  }
  walk.elements *= step;
  for (int i = 0; !extents.empty(); ++i) {
    const Extent axis = pop(extents);
    if (axis.is_channel) walk.channel_axis = i;
    walk.outer[i] = {Divisor::of(axis.extent), axis.in, axis.out};
    walk.runs *= axis.extent;
  }
  return walk;
}

Slots Slots::of(const Walk& walk, std::uintptr_t address, std::int64_t size, std::int32_t most,
                std::int64_t enough_threads) {
  const std::int64_t elements = slot_bytes / size;
  Slots slots;
  slots.per_run = (largest_phase(walk, address, size) + walk.elements + elements - 1) / elements;
  slots.depth = walk.runs * slots.per_run > enough_threads ? most : 1;
  while (slots.lane_bits < kWarpBits &&
         std::int64_t{slots.depth} << slots.lane_bits < slots.per_run)
    ++slots.lane_bits;
  const std::int64_t chunk = std::int64_t{slots.depth} << slots.lane_bits;
  const std::int64_t chunks = (slots.per_run + chunk - 1) / chunk;
  slots.chunks = Divisor::of(chunks);
  slots.threads = walk.runs * chunks << slots.lane_bits;
  return slots;
}

}  // namespace normbench::cuda
