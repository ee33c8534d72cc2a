/// The contenders that say how fast the machine can be, added to each group that needs them.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// For every runnable case on the CPU that starts from a source: `stream` moving as many bytes as
/// the case reads and writes at least, once per row; and `first_touch` for the largest fresh output
/// that the operating system has to map.
std::vector<Case> limits_of(const Group& group, const Backends& backends);

}  // namespace normbench
