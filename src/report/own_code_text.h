/// Sentences about the user's own code: what its batches really are, and what loading costs.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace normbench {

/// Returns sentences about the cases that run the user's own code:
/// - what their batches are, like "mine gives float32 [32, 3, 224, 224], pageable, 19.3 MB a batch:
///   4.0x the bytes of uint8."
/// - how the batches differ from what the config says about them
/// - what loading costs (from `analysis.headspaces`), like "With a loader that takes no time: 4.2
///   batches/s; mine: 2.4, so loading costs 43 % (41-45 %)."
std::vector<std::string> own_code_texts(const GroupResult& group, const GroupAnalysis& analysis);

}  // namespace normbench
