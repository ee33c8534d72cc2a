/// What the measurements mean: pure functions of Results that give facts. report/ makes the words.
#pragma once

#include "analysis/noise.h"
#include "analysis/verdict.h"

namespace normbench {

struct GroupAnalysis {
  std::vector<CaseAnalysis> cases;  // as in the group
  std::vector<CaseNoise> noise;     // as in the group
  std::vector<Pair> pairs;          // of measured cases, a < b
  double autocorrelation = 0;       // largest lag-1 of the log ratios
  Verdict verdict;
  Quality quality;
};

GroupAnalysis analyse(const GroupResult& group, const Results& results);

}  // namespace normbench
