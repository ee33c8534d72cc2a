/// The text of `check --times` on pipelines.
#pragma once

#include "core/text.h"
#include "document/results.h"
#include "plan/plan.h"

namespace normbench {

/// A line for each pipeline of the plan: its bound by the times of stages in a document. "" for a
/// plan without pipelines.
std::string prediction_text(const Plan& plan, const Results& times, std::int64_t cores,
                            const Screen& screen = {});

}  // namespace normbench
