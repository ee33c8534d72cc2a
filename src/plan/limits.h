/// The limits: contenders that show how fast the machine can be. The planner adds them to groups.
#pragma once

#include "plan/case.h"

namespace normbench {

/// Returns the limits that the runnable cases of a group are compared with:
/// - For each pipeline: every lane alone. If it loads, also all other stages, with inputs from
///   memory.
/// - For each pipeline: a `stream` by `all_threads` of the bytes that its host stages must move.
/// - For each case that has a source and stays in the memory of one place: `stream`s of the bytes
///   that it must read and write, one for each kernel row.
/// - For each stage that stays in the memory of one place: `stream`s of its bytes, one for each
///   kernel row. If its input is still in a cache, there is only the row with normal stores, on
///   buffers that stay in the cache.
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
