/// What measured times of stages predict for a planned pipeline.
#pragma once

#include "analysis/pipeline.h"
#include "plan/case.h"

namespace normbench {

/// A prediction, with times per item. Lanes with a stage that the document lacks have no time.
struct Prediction {
  std::vector<std::optional<double>> lanes_ns;  // as in the case: by one server
  std::vector<std::string> missing;             // labels of stages without a time
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};          // for Lane
  std::optional<Held> held = {};  // where too few in flight or one host thread bound it
  double bound_ns = 0;            // 0 where a stage is missing
  double in_turn_ns = 0;          // all lanes one after the other
};

/// Predicts a case with items in flight. A stage's time is the least median in the document of the
/// same op with the same parameters, row, input, output and threads. It uses as many cores as the
/// case with that median did on average.
Prediction predict(const Case& planned, const Results& times, std::int64_t cores);

}  // namespace normbench
