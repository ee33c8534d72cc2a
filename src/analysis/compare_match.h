/// The cases of two sides, found in each other by experiment, point and variant.
#pragma once

#include <string>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "document/results.h"

namespace normbench {

struct CaseName {
  std::string experiment;
  Json point = Json::object();
  std::string variant;

  bool operator==(const CaseName&) const = default;
};

/// Two names are the same case when their keys are equal; the order of a point's axes is no matter.
std::string case_key(const CaseName& name);

/// A case in one run.
struct CaseRun {
  const Results* results = nullptr;
  const CaseResult* result = nullptr;  // null: the run does not have it
};

struct MatchedCase {
  CaseName name;
  std::vector<CaseRun> base, now;  // by run
};

struct MatchedCases {
  std::vector<MatchedCase> both;  // in some run of either side; in the order of BASE
  std::vector<CaseName> base_only, new_only;
};

MatchedCases match_cases(const std::vector<Results>& base, const std::vector<Results>& now);

/// A case that the document holds twice is an issue at its second place.
std::vector<Issue> duplicate_cases(const Results& results);

/// Keeps the cases whose experiment, variant or "experiment/variant" a glob matches, and says
/// whether any does; no globs keep all.
bool keep_cases(Results& results, const std::vector<std::string>& globs);

}  // namespace normbench
