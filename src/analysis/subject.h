/// The case whose time is to be explained, and what that takes.
#pragma once

#include "analysis/analysis.h"
#include "analysis/case_analysis.h"

namespace normbench {

struct Subject {
  const GroupResult& group;
  const CaseAnalysis& analysis;
  int index;
  const Results& results;

  const CaseResult& result() const { return group.cases[index]; }
  double time_ns() const { return median_ns(result(), results); }
};

}  // namespace normbench
