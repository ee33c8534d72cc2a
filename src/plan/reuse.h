/// When the outputs of a case are used again.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// Sets the signatures' `reuse_bytes` and `read_next` of the stages on the CPU. Up to a later stage on the CPU that
/// reads the output, what the stages before that one touch goes by; without one, what an iteration
/// touches where one set of buffers is kept (hot), and no cache is large enough where they rotate
/// (cold). An output in its input's buffer is used at once: its lines were just read.
void note_reuse(Case& work, Cache cache);

}  // namespace normbench
