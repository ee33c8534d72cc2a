/// Buffers of a case: which values share one, and what is still in a cache when it is used again.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// The value whose own buffer holds value `index`, through all that works in place or passes on.
int buffer_of(const Case& work, int index);

/// The stage that wrote over value `index` after it was made; null while it is whole.
const Stage* overwriter_of(const Case& work, int index);

/// The output of the last `register` that no `unregister` undid; -1 for none.
int registered_value(const Case& work);

/// True if a `register` page-locked the value and an `unregister` undid it.
bool is_unregistered(const Case& work, int index);

/// True for two kinds of host memory, and for device memory twice: one side of the link.
constexpr bool same_side(Memory a, Memory b) { return host_reaches(a) == host_reaches(b); }

/// Bytes that stages [first, end) touch on the side of `side`: each buffer once, in whole lines.
std::int64_t touched_bytes(const Case& work, int first, int end, Memory side, std::size_t line = 1);

/// Sets `resident` of every stage that finds its inputs in the last cache (`cache_bytes`) before
/// their memory: earlier stages of the iteration wrote them, and all that was touched there since
/// they began to write, this stage's outputs included, fits. Only for cold buffers.
void mark_resident(Case& work, const Sides& cache_bytes);

/// Sets the signatures' `reuse_bytes` and `read_next` of the stages on the CPU: what is touched
/// before a later stage on the CPU reads the output. Where none does, hot buffers are used again
/// after one iteration, cold ones leave every cache. An output in its input's buffer: at once.
void note_reuse(Case& work, Cache cache);

}  // namespace normbench
