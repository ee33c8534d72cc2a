/// Predicts the speed of a planned pipeline from measured times of stages.
#pragma once

#include "analysis/pipeline.h"
#include "plan/case.h"

namespace normbench {

/// The predicted times of a pipeline per item, in ns. A lane has no time if no time was measured
/// for one of its stages.
struct Prediction {
  std::vector<std::optional<double>> lanes_ns;  // [lane]: time on one server
  std::vector<std::string> missing;             // labels of stages without a time
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};  // name of the lane; only for BoundKind::Lane
  // Set if the bound comes from too few items in flight or from a single host thread.
  std::optional<Held> held = {};
  double bound_ns = 0;    // lower bound of the time; 0 if a stage has no time
  double in_turn_ns = 0;  // time if nothing overlaps: the sum over all lanes
};

/// Predicts a case with items in flight on a machine with `cores` cores. The time of a planned
/// stage is the smallest median that a stage in `times` with the same op, parameters, kernel,
/// place, inputs, output and threads has. The planned stage is assumed to use as many cores as the
/// case with this median uses on average, but no more than its own number of threads.
Prediction predict(const Case& planned, const Results& times, std::int64_t cores);

}  // namespace normbench
