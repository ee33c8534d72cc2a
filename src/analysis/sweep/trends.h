/// Judges claims about how a ratio changes along an axis, by the first and the last measured point.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

struct TrendJudgement {
  Claim claim;
  Judgement::Outcome outcome = Judgement::Outcome::NotRun;
  Json fixed = Json::object();  // values of the other axes
  // `from` and `to` are the first and the last axis value at which both sides were measured. Both
  // are null if there are fewer than two such values. `first` and `last` are the ratios at these
  // values: the time of the side claimed to be slower over the time of the other side.
  Json from = {}, to = {};
  Interval first, last;
};

/// Judges each claim about a trend (Claim::across), once for each line of its axis (AxisLine). A
/// claim whose axis has no line gets one judgement without points. Returns nothing for a traced
/// run.
/// - The ratio grows or shrinks if the intervals at the first and the last point do not overlap.
/// - It stays the same if the ratio at one end is certainly within 10 % of the ratio at the other
///   end.
/// - The claim is contradicted if the side claimed to be slower is certainly faster at an end.
std::vector<TrendJudgement> judge_trends(const Experiment& experiment, const Results& results);

}  // namespace normbench
