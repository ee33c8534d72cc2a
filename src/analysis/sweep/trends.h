/// Claims of how a ratio changes along an axis, judged by the ends of what was measured.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

struct TrendJudgement {
  Claim claim;
  Judgement::Outcome outcome = Judgement::Outcome::NotRun;
  Json fixed = Json::object();  // the other axes
  // The axis's first and last value at which both sides were measured, and the ratio there: the
  // side claimed to be slower over the faster one. Nothing with fewer than two such points.
  Json from = {}, to = {};
  Interval first, last;
};

/// One judgement for each claim with `across` and each line of its axis; a single one where there
/// is no line. The ratio grows or shrinks where the intervals of its ends are apart. It stays where
/// their quotient is certainly within 10 % of 1. The claim is contradicted where the side claimed
/// to be slower is certainly faster at an end. A traced run has no judgements.
std::vector<TrendJudgement> judge_trends(const Experiment& experiment, const Results& results);

}  // namespace normbench
