/// The contenders that say how fast the machine can be, added to each group that needs them.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// For every runnable case that stays on the CPU, or in device memory, from a source on: `stream`
/// moving as many bytes as the case reads and writes at least, once per row. For every transfer:
/// one of as many bytes, pinned. With a GPU: `launch`, and `launch` with `sync`. And `first_touch`
/// for the largest fresh output that the operating system has to map.
std::vector<Case> limits_of(const Group& group, const Backends& backends);

}  // namespace normbench
