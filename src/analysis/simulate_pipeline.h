/// Simulates how long a pipeline takes, given the times of its items in its lanes.
#pragma once

#include <cstdint>
#include <vector>

namespace normbench {

struct ModelLane {
  std::int64_t servers = 1;
  double cores = 1;  // cores that a server uses; 0: it works on a device
};

struct PipelineModel {
  std::vector<ModelLane> lanes;
  std::vector<std::size_t> visits;           // lanes, in the order in which items go there
  std::vector<std::vector<double>> work_ns;  // by item, by visit: alone on one server
  std::int64_t in_flight = 1;
  double cores = 0;  // all that servers have; 0: enough
};

/// The time from the start of the first item to the end of the last. A free server takes the oldest
/// item that waits for its lane, as in a run. Where the servers at work use more cores than there
/// are, each is slowed by that factor.
double simulated_ns(const PipelineModel& model);

}  // namespace normbench
