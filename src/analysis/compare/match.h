/// Matches the cases of two sides (BASE and NEW) by experiment, point and variant.
#pragma once

#include "document/read_document.h"

namespace normbench {

/// A case in one run of a side (BASE or NEW).
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

/// Keeps the cases for which a glob matches the name of the experiment, the name of the variant or
/// "experiment/variant", and removes all others. If `globs` is empty, removes no case. Returns true
/// if a case is left or `globs` is empty.
bool keep_cases(Results& results, const std::vector<std::string>& globs);

}  // namespace normbench
