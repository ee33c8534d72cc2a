/// A plan as text, for `normbench check`.
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.h"

namespace normbench {

/// Returns a text with the groups, cases, stages, bytes, memory and time of a plan, and with what
/// is skipped. `cache_bytes` is the size of the last-level caches of the host and of the device,
/// from which the memory is estimated.
std::string plan_text(const Plan& plan, const Sides& cache_bytes, std::size_t width = 100);

}  // namespace normbench
