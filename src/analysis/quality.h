/// One line on how far a group's numbers can be trusted.
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace normbench {

/// "machine quiet: ratios good to 1.1 %", or "machine noisy: …" with what disturbed it: when the
/// rounds of a case spread wide, intervals stayed wide, a tenth of the rounds is flagged, or a case
/// drifts. Needs everything else of the analysis but the verdict.
std::string quality(const GroupAnalysis& analysis, const Results& results);

}  // namespace normbench
