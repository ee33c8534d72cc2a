/// Simulates a pipeline from the times that its items take in its lanes.
#pragma once

#include <cstdint>
#include <vector>

namespace normbench {

struct ModelLane {
  std::int64_t servers = 1;
  double cores = 1;  // cores that a busy server uses; 0 for work on a device
};

struct PipelineModel {
  std::vector<ModelLane> lanes;
  std::vector<std::size_t> visits;           // lanes that an item visits, in order
  std::vector<std::vector<double>> work_ns;  // [item][visit]: ns on one server that works alone
  std::int64_t in_flight = 1;
  double cores = 0;  // cores that all servers share; 0: no limit
};

/// Returns the simulated time in ns from the start of the first item to the end of the last one. A
/// free server takes the oldest item that waits for its lane, as in a run. If the busy servers need
/// more cores than `cores`, all host work slows down by the same factor.
double simulated_ns(const PipelineModel& model);

}  // namespace normbench
