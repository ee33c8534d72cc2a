/// How much of the difference between two cases each of the things that changed makes.
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace normbench {

/// What must be said beside a comparison of cases `a` and `b` when more than one thing changed
/// between them: "but they differ in 2 factors: constants, output of div; it comes from output of
/// div (1.91x: 1 more fresh buffer, 24,577 more page faults = 95 % of it), constants alone at most
/// 1.2 %". The parts are told where another measured case has one of the changes and not the
/// others.
/// "" for one change or none.
std::string caveat(const GroupResult& group, const GroupAnalysis& analysis, int a, int b,
                   const Results& results);

}  // namespace normbench
