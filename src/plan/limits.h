/// The limits: contenders that show how fast the machine is. The planner adds them to each group.
#pragma once

#include "plan/case.h"

namespace normbench {

/// Returns the limits for the runnable cases of a group:
/// - For each pipeline: each of its lanes alone, and if it loads files, all other stages without
///   the load.
/// - For each pipeline: a `stream` with `all_threads` threads of the bytes that its stages on the
///   CPU must move.
/// - For each case with a source whose stages all use the memory of one place: `stream`s of the
///   bytes that it must read and write, one for each kernel row.
/// - For each stage that uses only the memory of one place: `stream`s of its bytes, one for each
///   kernel row. If its input is still in a cache, there is only one, with normal stores, on
///   buffers that stay in the cache.
/// - For each kernel that accesses host memory over the link: a `stream` of its bytes from or to
///   pinned memory.
/// - For the largest fresh output that the operating system has to map: `first_touch`.
/// - For each transfer: a copy of as many bytes with pinned memory, and another one with pageable
///   memory if the transfer uses that. For a case with transfers in both directions: `exchange`.
/// - For a group with a case on the GPU: `launch`, and `launch` with `sync`.
/// Other streams have as many threads as their case or stage, so they also pay for its team.
std::vector<Case> limits_of(const Group& group, const Backends& backends, int all_threads);

}  // namespace normbench
