/// Which stages find their input in a cache, because little was touched since it was made.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// Sets `resident` of every stage whose inputs were all written by earlier stages of the iteration
/// and whose bytes are still in the last cache (`cache_bytes`) before the memory they are in. What
/// was touched there since the first of those stages began to write, this stage's own outputs
/// included, must fit: every buffer once, whether it was read or written. Only for cold buffers.
void mark_resident(Case& work, const Sides& cache_bytes);

}  // namespace normbench
