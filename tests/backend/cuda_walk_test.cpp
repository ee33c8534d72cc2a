#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backend/cuda/walk.h"
#include "core/tensor.h"

namespace normbench::cuda::cuda_walk_test {
namespace {

TensorDesc tensor(Layout layout, const Shape& shape) {
  return dense(DType::UInt8, layout, shape, Memory::Device);
}

/// The members of a Walk that tests compare: the number of runs (contiguous parts of the output),
/// the elements of a run, the elements of a run from one pixel to the next (the period), the input
/// elements to the next pixel and to the next channel, and the index of the axis of channels.
using Geometry = std::array<std::int64_t, 6>;

Geometry geometry(const Walk& w) {
  return {w.runs, w.elements, w.period.divisor, w.pixel, w.channel, w.channel_axis};
}

TEST(Walk, MergesWhatTheStridesAllow) {
  const Shape s{2, 3, 5, 7};
  const TensorDesc planes = tensor(Layout::Nchw, s), pixels = tensor(Layout::Nhwc, s);
  const auto of = [](const TensorDesc& in, const TensorDesc& out, bool alike) {
    return geometry(make_walk(in, out, alike));
  };
  EXPECT_EQ(of(planes, planes, false), (Geometry{6, 35, 1, 1, 0, 0}));   // a run is a plane
  EXPECT_EQ(of(planes, planes, true), (Geometry{1, 210, 1, 1, 0, 3}));   // a run is the output
  EXPECT_EQ(of(pixels, pixels, false), (Geometry{1, 210, 3, 3, 1, 3}));  // one run, pixel by pixel
  EXPECT_EQ(of(pixels, pixels, true), (Geometry{1, 210, 1, 1, 0, 3}));
  EXPECT_EQ(of(pixels, planes, false), (Geometry{6, 35, 1, 3, 0, 0}));
  EXPECT_EQ(of(planes, pixels, true), (Geometry{2, 105, 3, 1, 35, 3}));  // a run is an image
}

TEST(Walk, TakesRowsOfACropAndMirroredRows) {
  const View view{nullptr, tensor(Layout::Nchw, {2, 3, 8, 9})};
  const View pixels{nullptr, tensor(Layout::Nhwc, {2, 3, 8, 9})};
  const TensorDesc out = tensor(Layout::Nchw, {2, 3, 5, 7});
  const TensorDesc pixels_out = tensor(Layout::Nhwc, {2, 3, 5, 7});
  const TensorDesc crop = crop_view(view, 1, 2, 5, 7).desc;
  const TensorDesc crop_of_pixels = crop_view(pixels, 1, 2, 5, 7).desc;
  EXPECT_EQ(geometry(make_walk(crop, out, false)), (Geometry{30, 7, 1, 1, 0, 1}));
  EXPECT_EQ(geometry(make_walk(crop_of_pixels, pixels_out, false)), (Geometry{10, 21, 3, 3, 1, 3}));
  EXPECT_EQ(geometry(make_walk(crop_of_pixels, pixels_out, true)), (Geometry{10, 21, 1, 1, 0, 3}));
  const TensorDesc turned = flip_view(view, Flip::Both).desc;
  EXPECT_EQ(geometry(make_walk(turned, view.desc, false)), (Geometry{6, 72, 1, -1, 0, 0}));
  const TensorDesc mirrored = flip_view(view, Flip::Horizontal).desc;
  EXPECT_EQ(geometry(make_walk(mirrored, view.desc, false)), (Geometry{48, 9, 1, -1, 0, 1}));
}

TEST(Walk, HasNoRunsWithoutElements) {
  const TensorDesc none = tensor(Layout::Nchw, {0, 3, 5, 7});
  EXPECT_EQ(make_walk(none, none, false).runs, 0);
  EXPECT_EQ(Slots::of(make_walk(none, none, false), 0, 4, 4, 0).threads, 0);
}

TEST(Slots, AreSharedByAsFewThreadsAsARunNeeds) {
  Walk walk;
  walk.elements = 224;  // elements of a run: 56 slots of 4 float32
  walk.runs = 10;
  walk.outer[0] = {Divisor::of(10), 300, 224};
  const Slots few = Slots::of(walk, 4096, 4, 4, 1 << 18);
  EXPECT_EQ(few.depth, 1);
  EXPECT_EQ(few.lane_bits, 5U);
  EXPECT_EQ(few.chunks.divisor, 2);
  EXPECT_EQ(few.threads, 10 * 2 * 32);
  const Slots many = Slots::of(walk, 4096, 4, 4, 0);
  EXPECT_EQ(many.depth, 4);
  EXPECT_EQ(many.lane_bits, 4U);  // 16 threads with 4 slots each
  EXPECT_EQ(many.threads, 10 * 16);
  EXPECT_EQ(Slots::of(walk, 4096 + 4, 4, 4, 0).per_run, 57);  // 55 whole slots, a head and a tail
}

/// Returns the indices of the slots of run `run` that threads process, sorted. A slot is 16 bytes
/// of the output.
std::vector<std::int64_t> slots_taken(const Slots& slots, std::int64_t run) {
  const std::int64_t per_run = slots.chunks.divisor << slots.lane_bits;
  std::vector<std::int64_t> taken;
  for (std::int64_t t = run * per_run; t < (run + 1) * per_run; ++t) {
    const Share share = slots.share(t);
    EXPECT_EQ(share.run, run);
    for (std::int64_t u = 0; u < slots.depth; ++u) taken.push_back(share.first + u * share.step);
  }
  std::ranges::sort(taken);
  return taken;
}

TEST(Slots, AreTakenOnceEach) {
  for (const std::int64_t elements : {1, 4, 5, 63, 64, 129, 224, 512, 513, 2048, 5000})
    for (const std::int64_t enough : {std::int64_t{1} << 18, std::int64_t{0}}) {
      Walk walk;
      walk.elements = elements;
      walk.runs = 3;
      walk.outer[0] = {Divisor::of(3), elements, elements};
      const Slots slots = Slots::of(walk, 0, 4, 4, enough);
      const auto taken = slots_taken(slots, 2);
      EXPECT_GE(static_cast<std::int64_t>(taken.size()), slots.per_run);
      for (std::size_t i = 0; i < taken.size(); ++i)
        ASSERT_EQ(taken[i], static_cast<std::int64_t>(i)) << elements << " elements";
    }
}

}  // namespace
}  // namespace normbench::cuda::cuda_walk_test
