#include "ops/stream.h"

#include <gtest/gtest.h>

namespace normbench {
namespace {

TEST(LimitMix, LeavesOutStatisticsBesideALargeTensor) {
  EXPECT_EQ(limit_mix({1'000'500, 1'000'000}), (StreamMix{1'000'000, 1'000'000}));
  EXPECT_EQ(limit_mix({1'000'000, 1'000'500}), (StreamMix{1'000'000, 1'000'000}));
  EXPECT_EQ(limit_mix({2'000'700, 1'000'000}), (StreamMix{2'000'000, 1'000'000}));
  EXPECT_EQ(limit_mix({250'000, 1'000'100}), (StreamMix{250'000, 1'000'000}));
}

TEST(LimitMix, KeepsWhatIsAnotherMix) {
  for (const StreamMix& mix : {StreamMix{1'002'000, 1'000'000}, StreamMix{1'500'000, 1'000'000},
                               StreamMix{9'000'500, 1'000'000}, StreamMix{1'000'000, 0},
                               StreamMix{0, 5}, StreamMix{3, 2}, StreamMix{600, 200}})
    EXPECT_EQ(limit_mix(mix), mix);
}

}  // namespace
}  // namespace normbench
