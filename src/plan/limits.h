/// The contenders that say how fast the machine can be, added to each group that needs them.
#pragma once

#include "plan/case.h"

namespace normbench {

/// The limits that the runnable cases of a group are compared with:
/// - The lanes of pipelines, each alone, and pipelines that load fed from memory.
/// - A `stream` by `all_threads` of what all stages of a pipeline on the host must move.
/// - `stream`s of the mixes of bytes read and written once. First those of whole cases that stay in
///   one place's memory from a source on, then those of all their stages there. One per row; a
///   stage whose input is still in a cache gets one on buffers that stay there, with the row of
///   normal stores.
/// - For every kernel that reads or writes host memory over the link the same, from or to pinned
///   memory: a kernel's reads may be slower than copies.
/// - `first_touch` of the largest fresh output that the operating system has to map.
/// - For every transfer a copy of as many bytes, pinned, and pageable where the case's is;
///   `exchange` for a case with both directions.
/// - With a GPU `launch`, and `launch` with `sync`.
///
/// Starting a team is no limit of its own: the streams of a case have as many threads, so their
/// times contain it.
std::vector<Case> limits_of(const Group& group, const Backends& backends, int all_threads);

}  // namespace normbench
