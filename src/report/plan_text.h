/// A plan as text, for `normbench check`.
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.h"

namespace normbench {

/// Returns the groups, cases, stages, bytes, memory and time of a plan, and what is skipped.
/// `cache_bytes` is the size of the last-level caches of the host and of the device.
std::string plan_text(const Plan& plan, const Sides& cache_bytes, std::size_t width = 100);

}  // namespace normbench
