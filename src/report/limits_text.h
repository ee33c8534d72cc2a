/// What the machine can do at most, in words.
#pragma once

#include <string>

#include "measure/results.h"

namespace normbench {

/// Bytes read and written per second by a limit; 0 when it was not measured.
double bytes_per_second(const CaseResult& limit, const Results& results);

/// " · limits: 1:4 stream 50.1, 1:1 stream 40.2 GB/s": the best of each mix; "" without limits.
std::string limits_summary(const GroupResult& group, const Results& results);

}  // namespace normbench
