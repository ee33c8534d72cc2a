/// What the machine can do at most, in words.
#pragma once

#include <string>

#include "document/results.h"

namespace normbench {

/// Bytes read and written per second by a limit, over the link those that crossed it; 0 when it was
/// not measured, or moves none.
double bytes_per_second(const CaseResult& limit, const Results& results);

/// " · limits (read:write): 1:1 39.8, 1:4 49.4, GPU 1:4 2,610, h2d pinned 55.3 GB/s": the best of
/// each mix that a case has, place and kind of host memory, none of them in the cache; "" without
/// limits.
std::string limits_summary(const GroupResult& group, const Results& results);

}  // namespace normbench
