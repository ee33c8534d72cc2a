/// Which cases nothing beats.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// Measured cases, fastest first.
std::vector<int> ranking(const GroupResult& group, const GroupAnalysis& analysis);

/// Sets outcome, fastest and winner of the verdict. Returns its sentence, left open (no full stop)
/// for a winner and for a case alone.
std::string rank(const GroupResult& group, const GroupAnalysis& analysis, const Results& results,
                 Verdict& verdict);

}  // namespace normbench
