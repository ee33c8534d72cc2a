/// The contenders that say how fast the machine can be, added to each group that needs them.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// For every case that runs: `stream`s of the mixes that memory is asked for (stream_limits.h); for
/// every transfer one of as many bytes, pinned, and pageable where the case's is, and for a case
/// with both directions an `exchange`; with a GPU `launch`, and `launch` with `sync`; and
/// `first_touch` for the largest fresh output that the operating system has to map. Starting a team
/// is none of them: CPU work does so where it pays, the streams of its bytes too.
std::vector<Case> limits_of(const Group& group, const Backends& backends);

}  // namespace normbench
