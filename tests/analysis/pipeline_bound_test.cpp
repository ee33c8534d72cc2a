/// Tests the bounds of pipelines, which are least times per item. A lane is a group of stages. It
/// works on as many items at once as it has servers. The bounds are computed from the times of
/// lanes that were measured alone.
///
/// In examples::pipelines(), an item takes 12 ms on lane "load", 0.5 ms on lane "cpu" and 6 ms on
/// lane "save", and there are two cores. Case 1 has three items in flight and one server in each
/// lane. It takes 12.4 ms per item, in rounds of 20 items.
#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "analysis/why/factors.h"
#include "example_results.h"
#include "ops/stream.h"

namespace normbench::pipeline_bound_test {
namespace {

struct PipelineBoundTest : testing::Test {
  Results results = examples::pipelines();
  GroupResult& group = results.groups[0];

  PipelineAnalysis analysis(int index) {
    return analyse_pipeline(KnownLimits(group, results), group.cases[index], results);
  }
  PipelineBound bound(int index) { return *analysis(index).bound; }
  /// Sets how long an item takes on the lane when the lane runs alone, and how many servers the
  /// lane has in all pipelines.
  void set_lane(std::size_t lane, double ms, std::int64_t servers) {
    for (Round& round : group.limits[lane].rounds) {
      round.wall_ns = static_cast<std::int64_t>(ms * 1e6) * group.limits[lane].iterations;
      round.cpu_ns = round.wall_ns;
    }
    for (CaseResult& result : group.cases) result.pipeline->lanes[lane].servers = servers;
  }
};

TEST_F(PipelineBoundTest, IsTheSlowestLane) {
  const PipelineBound load = bound(1);
  EXPECT_EQ(load.kind, BoundKind::Lane);
  EXPECT_EQ(load.lane, "load");
  EXPECT_NEAR(load.ns, 12e6, 1e5);
  EXPECT_NEAR(load.of_bound.value, 12 / 12.4, 0.01);
  EXPECT_LE(load.of_bound.low, load.of_bound.value);
  EXPECT_FALSE(load.held);
  // If loading took no time, the save lane would be the bound: its 6 ms exceed the (0.5 + 6) / 2 ms
  // of the two cores.
  EXPECT_NEAR(*load.faster, 12.4 / 6, 0.02);
}

TEST_F(PipelineBoundTest, MoreServersHelpUntilTheCoresAreBusy) {
  const auto more = bound(1).more;
  ASSERT_TRUE(more);
  EXPECT_EQ(more->servers, 2);
  EXPECT_EQ(more->next, BoundKind::Cores);  // (12 + 0.5 + 6) / 2 ms per item
  // While the last of 20 items is normalized and saved, which takes 6.5 ms, one of the two cores
  // idles. This adds 6.5 / 2 / 20 ms to the time per item.
  EXPECT_NEAR(more->gain.value, 12.4 / (9.25 + 6.5 / 2 / 20), 0.02);
  EXPECT_NEAR(more->at_most.value, 12.4 / 9.25, 0.02);
  EXPECT_EQ(more->in_flight, 3);
  EXPECT_TRUE(more->reaches_next);
}

TEST_F(PipelineBoundTest, CoresAreWhatALaneKeptBusyAlone) {
  set_lane(0, 12, 1);
  for (Round& round : group.limits[0].rounds) round.cpu_ns /= 4;  // the lane waits for a disk
  for (Round& round : group.cases[1].rounds) round.cpu_ns = 20 * 9'500'000;
  const auto more = bound(1).more;
  EXPECT_EQ(more->next, BoundKind::Lane);  // (3 + 0.5 + 6) / 2 ms are less than the 6 ms of "save"
  EXPECT_GT(more->gain.value, 1.7);
}

TEST_F(PipelineBoundTest, NoServersAreAdvisedWhereNoneCanBeHad) {
  group.cases[1].pipeline->submit = Submit::Item;
  EXPECT_FALSE(bound(1).more);
  group.cases[1].pipeline->submit = Submit::Lane;
  group.cases[1].stages[0].place = Place::Cuda;  // further queues would share the device
  EXPECT_FALSE(bound(1).more);
}

TEST_F(PipelineBoundTest, MoreServersHelpLessWhereItemsAreOfUnlikeLength) {
  CaseResult& load = group.limits[0];
  const double alike = bound(1).more->gain.value;
  load.pipeline->latency_ns.clear();
  for (std::size_t i = 0; i < load.rounds.size() * 20; ++i)  // the last of 20 items takes longer
    load.pipeline->latency_ns.push_back(i % 20 == 19 ? 12'000'000 : 1'000'000);
  const double unlike = bound(1).more->gain.value;
  // The latencies of 20 items add up to 31 ms, but the lane takes 240 ms for them. So the latencies
  // are scaled by 240 / 31, and the long item counts as 12 * 240 / 31 ms. A second server helps
  // little with this item, because the other 19 items are nearly loaded when it begins.
  EXPECT_LT(unlike, alike - 0.1);
}

TEST_F(PipelineBoundTest, MoreServersHelpLessWhereItsProcessorTimeIsAboveThatOfItsLanes) {
  const double before = bound(1).more->gain.value;
  for (Round& round : group.cases[1].rounds)
    round.cpu_ns = static_cast<std::int64_t>(1.1 * 18.5e6 * 20);
  EXPECT_NEAR(bound(1).more->gain.value, before / 1.1, 0.02);
}

TEST_F(PipelineBoundTest, WhatTheLanesDoNotExplainMoreServersDoNotEnd) {
  const double before = bound(1).more->gain.value;
  for (Round& round : group.cases[1].rounds) round.wall_ns *= 3;
  const PipelineBound slow = bound(1);
  EXPECT_NEAR(slow.more->gain.value, before, 0.02);
  EXPECT_NEAR(slow.cores_used, 18.5 / 3 / 12.4, 0.02);
}

TEST_F(PipelineBoundTest, ServersThatItHasAreNotAdvised) {
  results.environment["available_threads"] = 16;
  for (const std::size_t lane : {0, 2}) set_lane(lane, 6, 1);  // "load" and "save" are equally fast
  EXPECT_FALSE(bound(1).more);
}

TEST_F(PipelineBoundTest, HowItemsGoThroughTheLanesIsAFactor) {
  const auto kinds = [&](const CaseResult& a, const CaseResult& b) {
    std::vector<Factor::Kind> kinds;
    for (const Factor& factor : factors(a, b)) kinds.push_back(factor.kind);
    return kinds;
  };
  CaseResult other = group.cases[1];
  EXPECT_THAT(kinds(group.cases[1], other), testing::IsEmpty());
  other.pipeline->lanes[0].servers = 2;
  EXPECT_THAT(kinds(group.cases[1], other), testing::ElementsAre(Factor::Kind::Servers));
  other.pipeline->submit = Submit::Item;  // each lane has a server for each item in flight
  EXPECT_THAT(kinds(group.cases[1], other), testing::ElementsAre(Factor::Kind::Submit));
  EXPECT_THAT(kinds(group.cases[0], other), testing::ElementsAre(Factor::Kind::InFlight));
}

TEST_F(PipelineBoundTest, WithCoresEnoughTheNextLaneBounds) {
  results.environment["available_threads"] = 16;
  const auto more = bound(1).more;
  EXPECT_EQ(more->servers, 2);
  EXPECT_EQ(more->next, BoundKind::Lane);
  EXPECT_EQ(more->lane, "save");
  EXPECT_NEAR(more->gain.value, 1.83, 0.02);  // with three items in flight, "save" idles at times
  EXPECT_EQ(bound(0).more->in_flight, 4);
  group.cases[1].pipeline->in_flight = 5;
  EXPECT_NEAR(bound(1).more->gain.value, 12.4 / (6.0 * 19 / 20 + 18.5 / 20), 0.02);
  set_lane(0, 61, 1);
  EXPECT_EQ(bound(1).more->servers, 11);
}

TEST_F(PipelineBoundTest, ServersDivideALane) {
  results.environment["available_threads"] = 16;
  set_lane(0, 12, 4);
  EXPECT_EQ(bound(1).lane, "save");
}

TEST_F(PipelineBoundTest, CoresBoundWhereAllLanesNeedThem) {
  set_lane(0, 12, 2);
  const PipelineBound cores = bound(1);
  EXPECT_EQ(cores.kind, BoundKind::Cores);
  EXPECT_EQ(cores.lane, "");
  EXPECT_NEAR(cores.ns, 9.25e6, 1e5);
  EXPECT_FALSE(cores.more);
  EXPECT_FALSE(cores.faster);
}

TEST_F(PipelineBoundTest, MemoryBoundsWhereAStreamOfAllBytesIsSlower) {
  StreamMix all;
  for (const StageResult& stage : group.cases[1].stages) {
    if (stage.op == "load") continue;
    all.read += stage.min_read_bytes;
    all.written += stage.min_bytes - stage.min_read_bytes;
  }
  CaseResult stream = examples::make_limit("stream", 20, DType::UInt8);
  stream.source_bytes = all.read;
  stream.result_bytes = all.written;
  stream.threads = 1;
  group.limits.push_back(stream);
  EXPECT_EQ(bound(1).kind, BoundKind::Lane);  // one thread does not use all the memory's bandwidth
  group.limits.back().threads = 2;
  EXPECT_EQ(bound(1).kind, BoundKind::Memory);
  EXPECT_NEAR(bound(1).ns, 20e6, 2e5);
}

TEST_F(PipelineBoundTest, TooFewItemsInFlightHoldItBack) {
  const PipelineBound in_turn = bound(0);
  EXPECT_EQ(in_turn.held, Held::InFlight);
  EXPECT_NEAR(in_turn.held_ns, 18.5e6, 1e5);
  EXPECT_NEAR(in_turn.of_bound.value, 12 / 18.8, 0.01);
}

TEST_F(PipelineBoundTest, OneThreadDoesTheHostsWorkOfAllLanes) {
  const PipelineBound one = bound(2);
  EXPECT_EQ(one.held, Held::OneThread);
  EXPECT_NEAR(one.held_ns, 18.5e6, 1e5);
  for (StageResult& stage : group.cases[2].stages) stage.place = Place::Cuda;
  EXPECT_FALSE(bound(2).held);
}

TEST_F(PipelineBoundTest, IsUnknownWhereALaneWasNotMeasuredAlone) {
  group.limits[1].status = Status::Failed;
  EXPECT_FALSE(analysis(1).bound);
  EXPECT_FALSE(analysis(1).lanes[1].alone_ns);
  EXPECT_TRUE(analysis(1).lanes[0].alone_ns);
}

TEST_F(PipelineBoundTest, LatenciesAreByNearestRank) {
  EXPECT_EQ(analysis(1).p50_ns, 19.4e6);  // the 10th smallest of 20
  EXPECT_EQ(analysis(1).p99_ns, 20.4e6);
}

TEST_F(PipelineBoundTest, BusyIsTheShareOfAllServersTime) {
  EXPECT_NEAR(*analysis(1).lanes[0].busy, 12 / 12.4, 0.01);
  EXPECT_EQ(*analysis(1).lanes[0].exposed_ns, 6e6);
  set_lane(0, 12, 2);
  EXPECT_NEAR(*analysis(1).lanes[0].busy, 6 / 12.4, 0.01);
}

TEST_F(PipelineBoundTest, HeadroomIsWhatAnyLoaderCouldGive) {
  EXPECT_NEAR(analysis(1).headroom->value, 12.4 / 6.1, 0.02);
  EXPECT_FALSE(analysis(0).headroom);
}

}  // namespace
}  // namespace normbench::pipeline_bound_test
