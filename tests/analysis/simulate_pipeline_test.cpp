#include "analysis/simulate_pipeline.h"

#include <gtest/gtest.h>

namespace normbench::simulate_pipeline_test {
namespace {

/// Returns a pipeline whose items visit one lane after another. All items take the same times, and
/// each lane has one server.
PipelineModel chain(std::vector<double> visits_ns, std::size_t items, std::int64_t in_flight) {
  PipelineModel model{.lanes = std::vector<ModelLane>(visits_ns.size()),
                      .visits = {},
                      .work_ns = std::vector(items, visits_ns),
                      .in_flight = in_flight};
  for (std::size_t i = 0; i < visits_ns.size(); ++i) model.visits.push_back(i);
  return model;
}

PipelineModel one_lane(const std::vector<double>& items_ns, std::int64_t servers) {
  PipelineModel model = chain({0}, 0, 100);
  model.lanes[0].servers = servers;
  for (const double ns : items_ns) model.work_ns.push_back({ns});
  return model;
}

TEST(SimulatedPipeline, TakesTheSlowestLaneForEachItemAndTheOthersOnce) {
  EXPECT_EQ(simulated_ns(chain({2, 5, 3}, 10, 3)), 9 * 5 + 10);
  EXPECT_EQ(simulated_ns(chain({5, 2, 3}, 10, 3)), 9 * 5 + 10);
  EXPECT_EQ(simulated_ns(chain({7}, 4, 1)), 28);
  EXPECT_EQ(simulated_ns(chain({7}, 0, 1)), 0);
}

TEST(SimulatedPipeline, IsHeldByItemsInFlight) {
  EXPECT_EQ(simulated_ns(chain({2, 5, 3}, 10, 1)), 100);
  EXPECT_EQ(simulated_ns(chain({5, 5, 5}, 10, 2)),
            5 * 15 + 5);  // 5 pairs of items; the second item of a pair starts 5 later
}

TEST(SimulatedPipeline, ItemsOfUnlikeLengthLeaveServersIdle) {
  EXPECT_EQ(simulated_ns(one_lane({3, 1, 1, 1}, 2)), 3);
  EXPECT_EQ(simulated_ns(one_lane({1, 1, 1, 3}, 2)), 4);  // the long item comes last
  EXPECT_EQ(simulated_ns(one_lane({1, 1, 1, 1}, 3)), 2);
}

TEST(SimulatedPipeline, AServerTakesTheOldestItemThatWaits) {
  PipelineModel model = chain({0, 0, 0}, 0, 3);
  model.lanes[0].servers = model.lanes[2].servers = 3;
  // Item 2 is in the second lane from time 1 to 6. Item 1 arrives there at 2 and item 0 at 3. At 6
  // the lane takes item 0, because item 0 is older than item 1.
  model.work_ns = {{3, 1, 9}, {2, 1, 1}, {1, 5, 1}};
  EXPECT_EQ(simulated_ns(model), 6 + 1 + 9);
}

TEST(SimulatedPipeline, SharesCoresAmongTheLanesOfTheHost) {
  PipelineModel model = chain({4, 4}, 10, 2);
  model.cores = 1;
  EXPECT_DOUBLE_EQ(simulated_ns(model), 80);
  model.lanes[1].cores = 0;  // the lane runs on a device
  EXPECT_DOUBLE_EQ(simulated_ns(model), 44);
  model.lanes[0].cores = 2;  // a team of two threads on one core
  EXPECT_DOUBLE_EQ(simulated_ns(model), 84);
}

TEST(SimulatedPipeline, ALaneMayBeVisitedTwice) {
  PipelineModel model = chain({1, 4, 1}, 10, 3);
  model.visits = {0, 1, 0};
  EXPECT_EQ(simulated_ns(model), 9 * 4 + 6);
  model = chain({3, 2, 3}, 2, 2);
  model.visits = {0, 1, 0};
  EXPECT_EQ(simulated_ns(model),
            12);  // item 1 is in the first lane from 3 to 6, item 0 comes back at 6
}

}  // namespace
}  // namespace normbench::simulate_pipeline_test
