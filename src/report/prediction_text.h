/// The text of `check --times` about pipelines.
#pragma once

#include "core/text.h"
#include "document/results.h"
#include "plan/plan.h"

namespace normbench {

/// Returns a line for each pipeline of the plan: the least time per item on `cores` cores, by the
/// stage times in `times`. Returns "" for a plan without pipelines.
std::string prediction_text(const Plan& plan, const Results& times, std::int64_t cores,
                            const Screen& screen = {});

}  // namespace normbench
