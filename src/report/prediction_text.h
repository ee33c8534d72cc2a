/// The text of `normbench check --times` about pipelines.
#pragma once

#include "core/text.h"
#include "document/results.h"
#include "plan/plan.h"

namespace normbench {

/// Returns a line for each pipeline of the plan, with the least time per item that it needs on
/// `cores` cores. The time is computed from the stage times in the document `times`. Returns "" if
/// the plan has no pipeline.
std::string prediction_text(const Plan& plan, const Results& times, std::int64_t cores,
                            const Screen& screen = {});

}  // namespace normbench
