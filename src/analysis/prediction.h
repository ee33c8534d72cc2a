/// What measured times of stages say beforehand of a pipeline that is planned.
#pragma once

#include "analysis/pipeline.h"
#include "plan/plan.h"

namespace normbench {

/// Times are of an item. Nothing is known of lanes with a stage that the document has not measured.
struct Prediction {
  std::vector<std::optional<double>> lanes_ns;  // as in the case: by one server
  std::vector<std::string> missing;             // labels of stages without a time
  BoundKind kind = BoundKind::Lane;
  std::string lane = {};          // where that is one
  std::optional<Held> held = {};  // where the items in flight or the one host thread bound it
  double bound_ns = 0;            // 0 where a stage is missing
  double in_turn_ns = 0;          // all lanes one after the other
};

/// Of a case with items in flight. A stage's time is the least median that the document has of the
/// same op with the same parameters, row, input, output and threads; it keeps as many of those busy
/// as the case did that it is from, on average.
Prediction predict(const Case& work, const Results& times, std::int64_t cores);

}  // namespace normbench
