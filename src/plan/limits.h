/// The limits: cases that show how fast the machine is. The planner adds them to each group, and
/// they are measured with the other cases.
#pragma once

#include "plan/case.h"

namespace normbench {

/// Returns the limits for those cases of a group that are not skipped. `stream` in this list is an
/// op that only reads and writes memory.
/// - For each pipeline: each of its lanes alone. If the pipeline loads files, also all stages
///   except the `load` stage.
/// - For each pipeline: `stream`s of the bytes that its stages on the CPU must move, with
///   `all_threads` threads.
/// - For each case that starts from a source and whose stages all use the memory of one place:
///   `stream`s of the bytes that the case must read and write.
/// - For each stage that uses only the memory of one place: `stream`s of its bytes. If the input of
///   the stage is still in a cache, there is only one stream, with normal stores, on buffers that
///   stay in the cache.
/// - For each kernel that accesses host memory over the link: `stream`s of its bytes from or to
///   pinned memory.
/// - For the largest fresh output that the operating system has to map: `first_touch`, which stores
///   to each page of such memory.
/// - For each transfer: a copy of as many bytes with pinned memory. If the transfer uses pageable
///   memory, also a copy with pageable memory. For a case with transfers in both directions:
///   `exchange`, which copies in both directions at once.
/// - For a group with a case on the GPU: `launch`, and `launch` with `sync`.
/// Several `stream`s of the same bytes run different kernel rows (implementations) of the op. A
/// stream for a case or stage has as many threads as that case or stage, so it includes the cost of
/// a team of that size.
std::vector<Case> limits_of(const Group& group, const Backends& backends, int all_threads);

}  // namespace normbench
