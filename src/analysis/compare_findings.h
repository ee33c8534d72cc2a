/// What changed in a case besides its time.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare.h"

namespace normbench {

/// How a case ended in the runs of a side: Failed when it failed in any, Ok when it was measured in
/// one.
Status status_of(const std::vector<CaseRun>& runs);

/// Why the runs ended so; "in 2 of 10 runs: …" when others did not.
std::string reason_of(const std::vector<CaseRun>& runs);

/// The case in the first run that measured it, else in the first that has it.
const CaseResult& shown_case(const std::vector<CaseRun>& runs);

/// Bytes over the link and bytes moved, kernels and threads, when they are not the same; the error
/// when it doubled and is above 1 % of its bound; page faults when they differ by more than 10 %
/// and at least one an iteration; the status when a case was skipped, or failed, on one side.
std::vector<CaseFinding> case_findings(const MatchedCase& matched);

}  // namespace normbench
