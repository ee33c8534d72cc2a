/// The contenders that say how fast the machine can be, added to each group that needs them.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// The limits that the runnable cases of a group are compared with:
/// - The lanes of pipelines, each alone, and pipelines that load fed from memory.
/// - A `stream` by `all_threads` with the bytes that all host stages of a pipeline must move.
/// - A `stream` for each mix of bytes read and written once: first of whole cases that stay in one
///   place's memory from a source on, then of each of their stages there. There is one per kernel
///   row. A stage whose input is still in a cache gets one on buffers that stay there, with the row
///   of normal stores.
/// - `first_touch` of the largest fresh output that the operating system has to map.
/// - For every transfer a copy of as many bytes, pinned, and pageable where the case's is;
///   `exchange` for a case with both directions.
/// - With a GPU `launch`, and `launch` with `sync`.
///
/// Starting a team is no limit of its own: the streams of a case have as many threads, so their
/// times contain it.
std::vector<Case> limits_of(const Group& group, const Backends& backends, int all_threads);

}  // namespace normbench
