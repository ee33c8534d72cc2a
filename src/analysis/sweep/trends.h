/// Judges claims about how a ratio changes along an axis, by the first and the last measured point.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

struct TrendJudgement {
  Claim claim;
  Judgement::Outcome outcome = Judgement::Outcome::NotRun;
  Json fixed = Json::object();  // values of the other axes
  // The first and the last axis value at which both sides were measured. Null if there are fewer
  // than two such values. The intervals hold the ratio at each: the side claimed to be slower over
  // the other side.
  Json from = {}, to = {};
  Interval first, last;
};

/// Judges each claim with `across` on each line of its axis. A claim without a line is judged once.
/// The ratio grows or shrinks if the intervals at the ends do not overlap. It stays if their
/// quotient is certainly within 10 % of 1. The claim is contradicted if the side claimed to be
/// slower is certainly faster at an end. Returns nothing for a traced run.
std::vector<TrendJudgement> judge_trends(const Experiment& experiment, const Results& results);

}  // namespace normbench
