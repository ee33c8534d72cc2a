/// Counts how the claims of a document ended, for `run --strict`.
#pragma once

#include "analysis/analysed.h"

namespace normbench {

/// The number of judgements with each outcome. A claim is judged at each point of a sweep, and a
/// claim about a trend once for each line of its axis.
struct ClaimTally {
  int confirmed = 0;
  int contradicted = 0;  // also claims with a ratio that hold in direction only
  int inconclusive = 0;  // also trends whose points were not all measured
  int not_run = 0;       // a side of the claim failed or was skipped

  int decided() const { return confirmed + contradicted; }
};

ClaimTally tally_claims(const Analysed& analysed);

}  // namespace normbench
