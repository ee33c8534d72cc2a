/// Counts the claims of a document by the outcome of their judgement, for `run --strict`.
#pragma once

#include "analysis/analysed.h"

namespace normbench {

/// The number of judgements with each outcome. A claim is judged at each point of a sweep. A claim
/// about a trend is judged once for each series of points along its axis (AxisLine).
struct ClaimTally {
  int confirmed = 0;
  int contradicted = 0;  // also claims with the right direction but a wrong ratio
  int inconclusive = 0;  // also trends with fewer than two points in an interrupted run
  int not_run = 0;       // a side of the claim failed or was skipped

  int decided() const { return confirmed + contradicted; }
};

ClaimTally tally_claims(const Analysed& analysed);

}  // namespace normbench
