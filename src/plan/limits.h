/// The limits: contenders that show how fast the machine can be. The planner adds them to groups.
#pragma once

#include "plan/case.h"

namespace normbench {

/// Returns the limits that the runnable cases of a group are compared with:
/// - For each pipeline: every lane alone, and, if it loads, all but the load with inputs from
///   memory.
/// - For each pipeline: a `stream` by `all_threads` of the bytes that its host stages must move.
/// - `stream`s with the mix of bytes that a case reads and writes once. Whole cases come first, if
///   they have a source and stay in the memory of one place. Then come all stages there. There is
///   one stream for each kernel row. A stage whose input is still in a cache gets only the row with
///   normal stores, on buffers that stay in the cache.
/// - For each kernel that reads or writes host memory over the link: a `stream` of its bytes from
///   or to pinned memory, since a kernel's reads may be slower than copies.
/// - `first_touch` of the largest fresh output that the operating system has to map.
/// - For each transfer: a copy of as many bytes from or to pinned memory, and one with the case's
///   memory if that is pageable. For a case with both directions: `exchange`.
/// - For a group with a case on the GPU: `launch`, and `launch` with `sync`.
///
/// There is no limit for the start of a team: the streams of a case use as many threads as the
/// case, so their times include it.
std::vector<Case> limits_of(const Group& group, const Backends& backends, int all_threads);

}  // namespace normbench
