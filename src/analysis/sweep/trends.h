/// Claims of what a ratio does along an axis, held against the ends of what was measured.
#pragma once

#include "analysis/sweep/sweep.h"

namespace normbench {

struct TrendJudgement {
  Claim claim;
  Judgement::Outcome outcome = Judgement::Outcome::NotRun;
  Json fixed = Json::object();  // the other axes
  // The axis's first and last value at which both sides were measured, and the ratio there: the
  // side claimed to be slower over the faster one. Nothing for fewer than two such points.
  Json from = {}, to = {};
  Interval first, last;
};

/// One for each claim with `across` and each line of its axis; a single one where there is none.
/// The ratio grows or shrinks where the intervals of its ends are apart; it stays where their
/// quotient is surely within 10 % of 1. Where the side claimed to be slower is surely faster at an
/// end, the claim is contradicted. None of a traced run.
std::vector<TrendJudgement> judge_trends(const Experiment& experiment, const Results& results);

}  // namespace normbench
