/// Matches the cases of two sides by experiment, point and variant.
#pragma once

#include "document/read_document.h"

namespace normbench {

/// A case in one run.
struct CaseRun {
  const Results* results = nullptr;
  const GroupResult* group = nullptr;
  const CaseResult* result = nullptr;  // null: the run does not have it
};

struct MatchedCase {
  CaseName name;
  std::vector<CaseRun> base, now;  // by run
};

struct MatchedCases {
  std::vector<MatchedCase> both;  // cases in some run of each side, in the order of BASE
  std::vector<CaseName> base_only, new_only;
};

MatchedCases match_cases(const std::vector<Results>& base, const std::vector<Results>& now);

/// Keeps the cases that a glob matches by experiment, variant or "experiment/variant", and returns
/// whether any does. Without globs all are kept.
bool keep_cases(Results& results, const std::vector<std::string>& globs);

}  // namespace normbench
