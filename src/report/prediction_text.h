/// What `check --times` says of pipelines.
#pragma once

#include "core/text.h"
#include "document/results.h"
#include "plan/plan.h"

namespace normbench {

/// The bound of every pipeline of the plan, from the times of stages in a document; a line each. ""
/// where the plan has none.
std::string prediction_text(const Plan& plan, const Results& times, std::int64_t cores,
                            const Screen& screen = {});

}  // namespace normbench
