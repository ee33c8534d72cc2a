#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::gpu_test {
namespace {

constexpr int kHost = 0, kEager = 1, kFused = 2;  // indices of the example's cases

GroupAnalysis analysed(const Results& results) { return analyse(results.groups[0], results); }

TEST(DeviceClock, DecidesEveryTimeThatAVerdictUses) {
  const Results wall = examples::gpu(), device = examples::gpu_device_clock();
  const GroupAnalysis by_wall = analysed(wall), by_device = analysed(device);
  EXPECT_NEAR(by_wall.cases[kFused].time_ns->value, 0.585e6, 0.003e6);
  EXPECT_NEAR(by_device.cases[kFused].time_ns->value, 0.561e6, 0.003e6);
  EXPECT_NEAR(by_wall.cases[kFused].ratio->value, 0.585 / 4.93, 0.001);
  EXPECT_NEAR(by_device.cases[kFused].ratio->value, 0.561 / 2.01, 0.002);
  EXPECT_NEAR(by_wall.cases[kFused].of_limit->value, 0.51 / 0.585, 0.005);
  EXPECT_NEAR(by_device.cases[kFused].of_limit->value, 0.50 / 0.561, 0.005);
  EXPECT_NEAR(*by_device.cases[kFused].images_per_second, 10 / 0.561e-3, 100);
  EXPECT_NEAR(1 / by_device.pairs.shown({})[1].ratio.value, 0.561 / 2.01, 0.002);
}

TEST(DeviceClock, ACaseIsOnOneClockInAllItsRounds) {
  Results results = examples::gpu_device_clock();
  results.groups[0].cases[kFused].rounds[3].device_ns = 0;
  EXPECT_NEAR(analysed(results).cases[kFused].time_ns->value, 0.585e6, 0.003e6);
}

TEST(OtherTimes, AreKeptWhicheverClockDecides) {
  const Results results = examples::gpu();
  EXPECT_NEAR(*device_ns(results.groups[0].cases[kFused]), 0.561e6, 0.003e6);
  EXPECT_NEAR(wall_ns(results.groups[0].cases[kFused]), 0.585e6, 0.003e6);
  EXPECT_EQ(device_ns(examples::tie().groups[0].cases[0]), std::nullopt);
}

TEST(LinkLimit, IsThePinnedCopyOfAsManyBytes) {
  const GroupAnalysis analysis = analysed(examples::gpu());
  EXPECT_EQ(analysis.cases[kHost].limit, "h2d 110.6 MB pinned");
  EXPECT_EQ(analysis.cases[kFused].limit, "h2d 27.6 MB pinned");
  EXPECT_EQ(limit_of(analysis.verdict.bound), LimitKind::Link);
}

TEST(LinkLimit, OfBothDirectionsIsTheSlowest) {
  Results results = examples::gpu();
  CaseResult& fused = results.groups[0].cases[kFused];
  fused.stages.push_back(fused.stages[1]);
  fused.stages.back().op = "d2h";
  fused.stages.back().link_bytes = 110'592'000;
  CaseResult back = results.groups[0].limits[1];
  back.variant = "d2h 110.6 MB pinned";
  back.stages[0].op = "d2h";
  results.groups[0].limits.push_back(back);
  EXPECT_EQ(analysed(results).cases[kFused].limit, "d2h 110.6 MB pinned");
}

TEST(StreamLimit, IsOfTheSamePlace) {
  Results results = examples::gpu();
  CaseResult& fused = results.groups[0].cases[kFused];
  fused.stages.erase(fused.stages.begin());  // the case then starts on the device
  CaseResult host = examples::make_limit("stream on the host", 0.5, DType::UInt8);
  results.groups[0].limits = {host};
  EXPECT_EQ(analysed(results).cases[kFused].limit, "");
  CaseResult device = host;
  device.variant = "stream on the device";
  device.stages[0].place = Place::Cuda;
  results.groups[0].limits.push_back(device);
  EXPECT_EQ(analysed(results).cases[kFused].limit, "stream on the device");
}

TEST(StageShare, IsOfTheWallTimeWhereAGpuTakesPart) {
  const Results results = examples::gpu();
  const CaseResult& eager = results.groups[0].cases[kEager];
  EXPECT_NEAR(stage_share(eager, eager.stages[0]), 0.505 / 0.76, 1e-4);
  EXPECT_NEAR(stage_share(eager, eager.stages[3]), 0.082 / 0.76, 1e-4);
  CaseResult unattributed = eager;
  unattributed.stages[0].rounds_ns.clear();
  EXPECT_EQ(stage_share(unattributed, unattributed.stages[0]), 0);
}

}  // namespace
}  // namespace normbench::gpu_test
