/// Matches the cases of two sides by experiment, point and variant.
#pragma once

#include "document/read_document.h"

namespace normbench {

/// A case in one run of a side.
struct CaseRun {
  const Results* results = nullptr;
  const GroupResult* group = nullptr;
  const CaseResult* result = nullptr;  // null: the run does not have the case
};

struct MatchedCase {
  CaseName name;
  std::vector<CaseRun> base, now;  // one for each run; empty if the side lacks the case
};

struct MatchedCases {
  // Cases that both sides have in at least one run, in the order of BASE.
  std::vector<MatchedCase> both;
  std::vector<CaseName> base_only, new_only;
};

MatchedCases match_cases(const std::vector<Results>& base, const std::vector<Results>& now);

/// Keeps the cases whose experiment, variant or "experiment/variant" matches a glob; without globs
/// keeps all. Returns true if a case is left or there are no globs.
bool keep_cases(Results& results, const std::vector<std::string>& globs);

}  // namespace normbench
