/// Where a stage runs and what memory it writes.
#pragma once

#include "plan/stage_spec.h"

namespace normbench {

/// Calls of the CUDA runtime belong to the GPU. Else device memory is worked on by the GPU and host
/// memory by the CPU, unless `spec.place` says otherwise and that place reaches the memory. Throws
/// StageMistake where it does not.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// The memory kind of the outputs: what `spec.memory` says where the stage can write it, else
/// device for a kernel on the GPU and `inferred`, what the op says, for all others. Throws
/// StageMistake.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake unless outputs in `memory` can be allocated, or done without, as
/// `spec.output` says.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake unless the stage may write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
