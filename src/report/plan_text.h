/// The text of `normbench check` on a plan.
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.h"

namespace normbench {

/// Groups, cases, stages, bytes, memory and time of a plan, and what is skipped.
std::string plan_text(const Plan& plan, const Sides& cache_bytes, std::size_t width = 100);

}  // namespace normbench
