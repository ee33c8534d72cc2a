/// What the machine can do at most for each stage of a case, and for the case that they add up to.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// The kind of host memory that a transfer reads or writes; pinned where the document does not say.
Memory link_memory(const CaseResult& result, std::size_t stage);

/// The measured `launch` that this stage of the case cannot do without: a kernel's on the GPU. Null
/// for none.
const CaseResult* launch_limit(const GroupResult& group, const CaseResult& result,
                               const StageResult& stage);

/// Fills the stages of a measured case's analysis, and what follows from them: floor, binding limit
/// and bytes moved. A stage's limit is the slower of `launch` and, for a transfer, the copy of as
/// many bytes the same way from the same kind of memory (pinned for all that is not pageable); for
/// others the fastest stream of its mix, in its place, with as many threads; one that stays in the
/// cache only where the stage's input is there. Stages that move no bytes have none.
void add_stage_limits(const GroupResult& group, const CaseResult& result, const Results& results,
                      CaseAnalysis& analysis);

}  // namespace normbench
