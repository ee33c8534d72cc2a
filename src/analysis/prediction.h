/// Predicts the speed of a planned pipeline from measured times of stages.
#pragma once

#include "analysis/pipeline.h"
#include "plan/case.h"

namespace normbench {

/// The predicted times of a pipeline per item, in ns. A lane has no time if the document lacks one
/// of its stages.
struct Prediction {
  std::vector<std::optional<double>> lanes_ns;  // one for each lane: its time on one server
  std::vector<std::string> missing;             // labels of stages without a time
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};          // name of the lane; only for BoundKind::Lane
  std::optional<Held> held = {};  // set if too few items in flight or one host thread bound it
  double bound_ns = 0;            // 0 if a stage is missing
  double in_turn_ns = 0;          // sum of the times of all lanes
};

/// Predicts a case with items in flight on a machine with `cores` cores. A stage's time is the
/// smallest median in `times` of a stage with the same op, parameters, kernel, place, inputs,
/// output and threads. It is assumed to use as many cores as the case with that median used on
/// average, at most its threads.
Prediction predict(const Case& planned, const Results& times, std::int64_t cores);

}  // namespace normbench
