#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/cuda/slots.h"

namespace normbench::cuda::cuda_slots_test {
namespace {

TEST(Slots, AreSharedByAsFewThreadsAsARunNeeds) {
  Walk walk;
  walk.elements = 224;  // of a row, 56 slots of float32
  walk.runs = 10;
  walk.outer[0] = {Divisor::of(10), 300, 224};
  const Slots few = Slots::of(walk, 4096, 4, 4, 1 << 18);
  EXPECT_EQ(few.depth, 1);
  EXPECT_EQ(few.lane_bits, 5U);
  EXPECT_EQ(few.chunks.divisor, 2);
  EXPECT_EQ(few.threads, 10 * 2 * 32);
  const Slots many = Slots::of(walk, 4096, 4, 4, 0);
  EXPECT_EQ(many.depth, 4);
  EXPECT_EQ(many.lane_bits, 4U);  // 16 threads with 4 slots
  EXPECT_EQ(many.threads, 10 * 16);
  EXPECT_EQ(Slots::of(walk, 4096 + 4, 4, 4, 0).per_run, 57);  // a head and a tail
}

/// The slots of a run that the threads of all its groups take, in order.
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
}  // namespace normbench::cuda::cuda_slots_test
