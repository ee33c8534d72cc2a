/// How long a pipeline takes whose items take given times in its lanes.
#pragma once

#include <cstdint>
#include <vector>

namespace normbench {

struct ModelLane {
  std::int64_t servers = 1;
  double cores = 1;  // that a server keeps busy; 0: it works on a device
};

struct PipelineModel {
  std::vector<ModelLane> lanes;
  std::vector<std::size_t> visits;           // the lanes, in the order in which items go there
  std::vector<std::vector<double>> work_ns;  // by item, by visit: on one server with nothing beside
  std::int64_t in_flight = 1;
  double cores = 0;  // that all servers have; 0: enough
};

/// From the start of the first item to the end of the last. A free server takes the oldest item
/// that waits for its lane, as in a run; where all servers at work keep more cores busy than there
/// are, each is slowed by as much.
double simulated_ns(const PipelineModel& model);

}  // namespace normbench
