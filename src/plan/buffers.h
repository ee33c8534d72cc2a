/// Buffers of a case: which values share one, and what a cache still has when it is used again.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// The stage that wrote the bytes of value `index`, passed on untouched since; -1: it is an input.
int writer_of(const Case& work, int index);

/// The value whose own buffer holds value `index`, through all that works in place or passes on.
int buffer_of(const Case& work, int index);

/// The stage that wrote over value `index` after it was made; null while it is whole.
const Stage* overwriter_of(const Case& work, int index);

/// The output of the last `register` that no `unregister` has undone; -1 for none.
int registered_value(const Case& work);

/// True if a `register` page-locked the value and an `unregister` undid it.
bool is_unregistered(const Case& work, int index);

/// True for two kinds of host memory, and for device memory twice: the same side of the link.
constexpr bool same_side(Memory a, Memory b) { return host_reaches(a) == host_reaches(b); }

/// Bytes that stages [first, end) touch on the side of `side`: each buffer once, in whole lines.
std::int64_t touched_bytes(const Case& work, int first, int end, Memory side, std::size_t line = 1);

/// Sets `resident` of every stage that finds its inputs in the last cache (`cache_bytes`) of their
/// memory: earlier stages of the iteration wrote them, and everything touched there since fits,
/// this stage's outputs included. Only for cold buffers.
void mark_resident(Case& work, const Sides& cache_bytes);

/// Sets `reuse_bytes` and `read_next` in the signatures of stages on the CPU: bytes touched before
/// a later stage on the CPU reads the output. Where none does, hot buffers are used again after an
/// iteration, cold ones leave every cache. An output in its input's buffer is used at once.
void note_reuse(Case& work, Cache cache);

}  // namespace normbench
