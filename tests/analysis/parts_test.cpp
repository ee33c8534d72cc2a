#include "analysis/why/parts.h"

#include <gmock/gmock.h>

#include "example_results.h"

namespace normbench::parts_test {
namespace {

CaseResult gpu_case(int index) { return examples::gpu().groups[0].cases[index]; }

TEST(Parts, AreTheStagesByResource) {
  const auto host = parts(gpu_case(0));
  ASSERT_EQ(host.size(), 2u);
  EXPECT_EQ(host[0].resource, Resource::Cpu);
  EXPECT_THAT(host[0].stages, testing::ElementsAre("normalize"));
  EXPECT_NEAR(host[0].share, 2.9 / 4.93, 1e-4);
  EXPECT_EQ(host[1].resource, Resource::Link);
  EXPECT_THAT(host[1].stages, testing::ElementsAre("h2d"));
  EXPECT_NEAR(host[1].share, 2.01 / 4.93, 1e-4);

  const auto eager = parts(gpu_case(1));
  ASSERT_EQ(eager.size(), 2u);
  EXPECT_EQ(eager[1].resource, Resource::Gpu);
  EXPECT_THAT(eager[1].stages, testing::ElementsAre("cast", "sub", "div"));
  EXPECT_NEAR(eager[1].share, 0.225 / 0.76, 1e-4);
}

TEST(Parts, OfPinningAreTheHostsCalls) {
  const auto pinning = parts(examples::pinning().groups[0].cases[1]);
  ASSERT_EQ(pinning.size(), 2u);
  EXPECT_EQ(pinning[0].resource, Resource::Pinning);
  EXPECT_THAT(pinning[0].stages, testing::ElementsAre("pin"));
  EXPECT_NEAR(pinning[0].share, 18.0 / 18.6, 1e-4);
}

TEST(Parts, AreNothingWithoutTimes) {
  CaseResult result = gpu_case(0);
  for (StageResult& stage : result.stages) stage.rounds_ns.clear();
  EXPECT_TRUE(parts(result).empty());
  EXPECT_FALSE(gain_beside(result, Resource::Link));
}

TEST(GainBeside, NeedsAnotherResource) {
  EXPECT_FALSE(gain_beside(gpu_case(0), Resource::Gpu));
  EXPECT_FALSE(gain_beside(examples::tie().groups[0].cases[0], Resource::Cpu));
}

}  // namespace
}  // namespace normbench::parts_test
