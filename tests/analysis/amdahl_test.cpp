#include "analysis/amdahl.h"

#include <gtest/gtest.h>

#include "example_results.h"

namespace normbench::amdahl_test {
namespace {

CaseResult gpu_case(int index) { return examples::gpu().groups[0].cases[index]; }

TEST(Parts, AreTheStagesByResource) {
  const auto host = parts(gpu_case(0));
  ASSERT_EQ(host.size(), 2u);
  EXPECT_EQ(host[0].resource + ": " + host[0].work, "CPU: normalize");
  EXPECT_NEAR(host[0].share, 2.9 / 4.93, 1e-4);
  EXPECT_EQ(host[1].resource + ": " + host[1].work, "link: the copy");
  EXPECT_NEAR(host[1].share, 2.01 / 4.93, 1e-4);

  const auto eager = parts(gpu_case(1));
  ASSERT_EQ(eager.size(), 2u);
  EXPECT_EQ(eager[1].resource + ": " + eager[1].work, "GPU: cast, sub and div");
  EXPECT_NEAR(eager[1].share, 0.225 / 0.76, 1e-4);
}

TEST(Parts, OfPinningAreTheHostsCalls) {
  const auto pinning = parts(examples::pinning().groups[0].cases[1]);
  ASSERT_EQ(pinning.size(), 2u);
  EXPECT_EQ(pinning[0].resource + ": " + pinning[0].work, "pinning: pin");
  EXPECT_NEAR(pinning[0].share, 18.0 / 18.6, 1e-4);
}

TEST(Parts, AreNothingWithoutTimes) {
  CaseResult result = gpu_case(0);
  for (StageResult& stage : result.stages) stage.rounds_ns.clear();
  EXPECT_TRUE(parts(result).empty());
  EXPECT_FALSE(gain_at_most(result, "link").has_value());
}

TEST(GainAtMost, IsWhatTheOthersTake) {
  EXPECT_EQ(gain_at_most(gpu_case(2), "link"),
            "86 % of its time is the copy, so a faster kernel gains at most 14 %.");
  EXPECT_EQ(gain_at_most(gpu_case(0), "CPU"),
            "59 % of its time is normalize, so a faster link gains at most 41 %.");
  EXPECT_EQ(gain_at_most(examples::decoding().groups[0].cases[0], "decode"),
            "90 % of its time is loading the images, so a faster stage on the CPU gains at most 10 "
            "%.");
}

TEST(GainAtMost, NeedsAnotherResource) {
  EXPECT_FALSE(gain_at_most(gpu_case(0), "GPU").has_value());
  EXPECT_FALSE(gain_at_most(examples::tie().groups[0].cases[0], "CPU").has_value());
}

}  // namespace
}  // namespace normbench::amdahl_test
